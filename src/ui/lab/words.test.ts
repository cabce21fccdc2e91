import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import { layOut } from '../../lab/layout.ts';
import type { RunStage } from '../../lab/run-order.ts';
import type { LabProgress } from '../../lab/session.ts';
import { parseSweep } from '../../lab/sweep.ts';
import { LabHostForTests } from './host-for-tests.ts';
import type { LabModel } from './model.ts';
import { labWords, shortWords } from './words.ts';

const sweep = parseSweep({ name: 'two', base: { maxSteps: 20 }, vary: { workers: [1, 2] } });
const runs = layOut(sweep);
const training: RunStage = { kind: 'training', id: 'run 1', text: 'step 3', leftMs: null };

/** What the page says at a moment of a lab; `null` stands for the time before it is begun. */
function wordsAt(
  progress: Partial<LabProgress> | null | 'rest',
  stage: RunStage | null = null,
  outcomes = 0,
  tabs = 2,
): string {
  const host = new LabHostForTests();
  host.connect(tabs);
  if (stage?.kind === 'training' && runs[1]) host.start(runs[1].experiment);
  const whole = { phase: 'running', run: runs[1] ?? null, number: 2, count: 2, missing: runs, ...Object(progress) };
  const model = {
    plan: signal({ ok: true, runs, repeats: 1, maxTabs: 2 }),
    leftOut: signal(new Set()),
    lab: signal(progress === null ? null : { sweep }),
    progress: signal(progress === null || progress === 'rest' ? null : whole),
    stage: signal(stage),
    outcomes: signal(new Map(runs.slice(0, outcomes).map((run) => [run.key, { ...run, report: null, failure: null }]))),
  } as unknown as LabModel;
  return labWords(model, host.state).replaceAll('\u00a0', ' ');
}

it('has words for every moment of a lab', () => {
  expect(wordsAt(null)).toBe('2 runs with up to 2 worker tabs. Nothing is computed before you press Start.');
  expect(wordsAt({}, { kind: 'short', needed: 2, here: 1 })).toBe(
    '2 workers: needs 2 workers, 1 is here. Open another tab.',
  );
  expect(wordsAt({}, { kind: 'starting', text: 'starting' })).toBe('2 workers: starting');
  expect(wordsAt({}, training)).toBe('2 workers: training with 2 workers');
  expect(wordsAt({}, training, 0, 1)).toBe(
    '2 workers: only 1 of 2 workers is left, so that it will not count. Stop, or let it end.',
  );
  expect(wordsAt({}, { kind: 'rounding-off', id: 'run 1', text: 'fetching the model' })).toBe(
    '2 workers: fetching the model',
  );
  expect(wordsAt({ phase: 'paused' }, training)).toMatch(/; pauses after this run$/);
  expect(wordsAt({ phase: 'paused', run: null })).toBe('Paused: 2 runs to come');
  expect(wordsAt({ phase: 'stopping' })).toBe('Stopping');
  expect(wordsAt('rest', null, 1)).toBe('1 of 2 runs is over; Resume goes on with the rest');
  expect(wordsAt('rest', null, 2)).toBe('All 2 runs are over');
});

it('says how many tabs are to be opened', () => {
  expect(shortWords('sync × 3', 3, 0).replaceAll('\u00a0', ' ')).toBe(
    'sync × 3: needs 3 workers, 0 are here. Open 3 more tabs.',
  );
});

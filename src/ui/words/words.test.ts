import { describe, expect, test } from 'vitest';
import { stopReasons } from '../../core/server/progress.ts';
import { refusals } from '../../core/wire/protocol.ts';
import { defaultExperiment } from '../../experiment/experiment.ts';
import { dialCodes } from '../../net/join/dial-error.ts';
import type { Trouble, WorkerStage } from '../../worker/state.ts';
import { runTitle } from '../runs/run-title.ts';
import { stageWords, stopWords, strategyWords, subject, troubleWords } from './words.ts';

const troubles: Trouble[] = [
  ...refusals.map((code) => ({ code })),
  ...dialCodes.filter((code) => code !== 'removed').map((code) => ({ code })),
  { code: 'experiment', detail: 'No model "x".' },
  { code: 'data', detail: 'Status 404.' },
  { code: 'device', detail: 'Out of memory.' },
  { code: 'software', detail: 'The thread did not start.' },
  { code: 'unexpected', detail: 'Not a function.' },
  { code: 'link-lost' },
];

const stages: WorkerStage[] = [
  { kind: 'idle' },
  { kind: 'connecting' },
  { kind: 'reconnecting', attempt: 2, trouble: { code: 'no-host' } },
  { kind: 'preparing', what: 'library', fraction: null },
  { kind: 'preparing', what: 'data', fraction: 0.5 },
  { kind: 'preparing', what: 'warm-up', fraction: null },
  { kind: 'waiting' },
  { kind: 'training' },
  { kind: 'paused' },
  { kind: 'finishing' },
  { kind: 'finished' },
  { kind: 'left' },
];

describe('every trouble', () => {
  test.each(troubles)('$code has its own title and says what to do', (trouble) => {
    const words = troubleWords(trouble);
    expect(words.title).toMatch(/^[A-Z].{8,70}[^.]$/);
    expect(words.text).toMatch(/\.$/);
    if ('detail' in trouble) expect(words.text).toContain(trouble.detail);
    expect(troubles.filter((other) => troubleWords(other).title === words.title)).toHaveLength(1);
  });
});

test.each(stages)('the stage $kind $what has a title and a sentence', (stage) => {
  const words = stageWords(stage);
  expect(words.title).toMatch(/^[A-Z]/);
  expect(words.text).toMatch(/\.$/);
  expect(stages.filter((other) => stageWords(other).title === words.title)).toHaveLength(1);
});

test('a broken stage speaks of its trouble', () => {
  expect(stageWords({ kind: 'broken', trouble: { code: 'full' } }).title).toBe(troubleWords({ code: 'full' }).title);
});

test('every stop reason and strategy has words of its own', () => {
  const experiment = { ...defaultExperiment, untilLoss: 0.35, maxSteps: 5000, epochs: 10, minutes: 2 };
  expect(new Set(stopReasons.map((reason) => stopWords(reason, experiment))).size).toBe(stopReasons.length);
  expect(stopWords('steps', experiment).replace('\u00a0', ' ')).toBe('Finished: 5,000 steps');
  expect(new Set((['single', 'sync', 'async'] as const).map(strategyWords)).size).toBe(3);
});

test('a run is labelled by what sets it apart', () => {
  expect(runTitle({ ...defaultExperiment, strategy: 'async', workers: 3 })).toBe('async ×3 · batch 100 · lr 0.5');
  expect(runTitle({ ...defaultExperiment, strategy: 'single' })).toBe('single · batch 100 · lr 0.5');
  expect(runTitle({ ...defaultExperiment, model: 'mlp', workers: 4, backup: 1, optimizer: 'adam', lr: 0.001 })).toBe(
    'mlp · sync ×4 · batch 100 · adam · lr 0.001 · 1 backup',
  );
});

test('a model nobody knows is called by its name', () => {
  expect(subject({ model: 'softmax', data: 'mnist' })).toBe('Softmax regression on MNIST digits');
  expect(subject({ model: 'x', data: 'y' })).toBe('x on y');
});

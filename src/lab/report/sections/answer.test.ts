import { expect, test } from 'vitest';
import type { Experiment } from '../../../experiment/experiment.ts';
import { sweepForTests } from '../../sweep-for-tests.ts';
import type { SweepResult } from '../../sweep-result.ts';
import { answer } from './answer.ts';
import { subjectOf } from './subject.ts';

const cases = [{ strategy: 'single' }, { strategy: 'sync', workers: 2 }, { strategy: 'sync', workers: 3 }] as const;

/** The sweep with these times for each setting, one per repeat. */
function timed(times: Readonly<Record<string, readonly number[]>>, of: readonly Partial<Experiment>[] = cases) {
  const result = sweepForTests({ seed: 3, cases: of });
  const runs = [...result.outcomes, ...result.missing.map((run) => ({ ...run, report: null, failure: null }))];
  const [model] = result.outcomes;
  const outcomes = runs.flatMap((run) => {
    const wallSeconds = times[run.label]?.[run.repeat - 1];
    const report = run.report ?? model?.report ?? null;
    return wallSeconds === undefined || report === null
      ? []
      : { ...run, failure: null, report: { ...report, wallSeconds } };
  });
  return { ...result, outcomes, missing: [] };
}

const said = (result: SweepResult): string => answer(subjectOf(result)).replaceAll('\u00a0', ' ');

test('names the first to the target, how far the next is behind and what several workers gain', () => {
  const text = said(timed({ single: [20, 20.2, 19.8], 'sync × 2': [12, 12.1, 11.9], 'sync × 3': [10, 10.1, 9.9] }));
  expect(text).toContain(
    'sync × 3 reached a test loss of 0.35 first, in 10.0 ± 0.1 s; the next, sync × 2, took 1.20× as long.',
  );
  expect(text).toContain('sync × 3 was 2.00× as fast as single (20.0 ± 0.2 s).');
});

test('claims no difference that is smaller than the spread', () => {
  const text = said(timed({ single: [20, 22, 18], 'sync × 2': [12, 14, 10], 'sync × 3': [11, 13, 9] }));
  expect(text).toContain('sync × 3 (11.0 ± 2.0 s) and sync × 2 (12.0 ± 2.0 s) reached a test loss of 0.35 soonest');
  expect(text).toContain('none of them can be called faster');
  expect(text).not.toContain('first, in');
});

test('says so when adding workers made it slower', () => {
  const text = said(timed({ single: [5, 5.1, 4.9], 'sync × 2': [9, 9.1, 8.9], 'sync × 3': [12, 12.1, 11.9] }));
  expect(text).toContain('Adding workers did not help: the best of several, sync × 2, took 1.80× as long as single.');
  expect(text).toContain('The slowest, sync × 3, took 2.40× as long as the fastest.');
});

test('warns when nothing was repeated, and says when nothing is there', () => {
  expect(said(timed({ single: [5], 'sync × 2': [9] }))).toContain(
    'Each of the 2 settings ran once, so the spread is not known',
  );
  expect(said({ ...timed({}), outcomes: [] })).toBe('No run has come to its end yet, so there is no answer.');
});

test('calls nothing faster by less than a tenth where nothing was repeated', () => {
  const text = said(timed({ single: [9.5], 'sync × 2': [9] }));
  expect(text).toContain(
    'sync × 2 (9.00 s) and single (9.50 s) reached a test loss of 0.35 soonest; they differ by less than 10 %',
  );
  expect(text).toContain('With several workers the best, sync × 2, cannot be told from single.');
});

test('without a loss to reach, epochs are compared', () => {
  const result = sweepForTests({ seed: 3, cases, base: { untilLoss: null, epochs: 2 } });
  expect(said(result)).toMatch(/^sync × [23] .*had the shortest epochs/);
});

const clusters = [
  { strategy: 'single' },
  ...(['sync', 'async'] as const).flatMap((strategy) => [1, 2, 3].map((workers) => ({ strategy, workers }))),
] as const;

test('says for each strategy what more workers did beside one, whatever single did', () => {
  const text = said(
    timed(
      {
        single: [5, 5.1, 4.9],
        'sync × 1': [12, 12.1, 11.9],
        'sync × 2': [9, 9.1, 8.9],
        'sync × 3': [7.92, 8, 7.84],
        'async × 1': [12, 12.1, 11.9],
        'async × 2': [12, 12.2, 11.8],
        'async × 3': [11.9, 12.2, 11.6],
      },
      clusters,
    ),
  );
  expect(text).toContain('Adding workers did not help: the best of several, sync × 3, took 1.58× as long as single.');
  expect(text).toContain('sync: 3 workers took 0.66× the time of one.');
  expect(text).toContain('With async, more workers cannot be told from one.');
});

test('what one run each differs by less than a tenth is not told apart; both ways are told', () => {
  const text = said(
    timed({ single: [5], 'sync × 1': [10], 'sync × 3': [9.5], 'async × 1': [10], 'async × 2': [12] }, clusters),
  );
  expect(text).toContain(
    'async: 2 workers took 1.20× the time of one. With sync, more workers cannot be told from one.',
  );
});

test('one worker of the only strategy is told of once', () => {
  const text = said(timed({ 'sync × 1': [10], 'sync × 3': [5] }, clusters));
  expect(text).toContain('sync × 3 was 2.00× as fast as sync × 1');
  expect(text).not.toContain('the time of one');
});

test('epochs of different models are not compared, those of one model are', () => {
  const models = [
    { model: 'softmax', strategy: 'sync', workers: 1 },
    { model: 'softmax', strategy: 'sync', workers: 2 },
    { model: 'lenet', strategy: 'sync', workers: 3 },
  ] as const;
  const result = sweepForTests({ seed: 3, cases: models, base: { untilLoss: null, epochs: 2 } });
  const text = said(result);
  expect(text).toMatch(
    /^Epochs of different models or data are different work and are not compared\. softmax on mnist: /,
  );
  expect(text).not.toContain('sync × 3');
});

test('without repeats accuracies are told apart only where the test set is large enough for that', () => {
  const result = timed({ single: [5], 'sync × 2': [9] });
  const words = (alone: number, together: number) => {
    const accurate = result.outcomes.map((outcome) => ({
      ...outcome,
      report: { ...outcome.report, testAccuracy: outcome.label === 'single' ? alone : together },
    }));
    return said({ ...result, outcomes: accurate });
  };
  expect(words(0.918, 0.917)).toContain('from 91.70 % to 91.80 %, which 10,000 test examples cannot tell apart.');
  expect(words(0.918, 0.89)).toContain('from 89.00 % with sync × 2 to 91.80 % with single.');
});

test('what several workers took beside the fastest is said once', () => {
  expect(said(timed({ single: [5], 'sync × 2': [9] }))).toMatch(
    /^single reached a test loss of 0\.35 first, in 5\.00 s\. Adding workers did not help/,
  );
});

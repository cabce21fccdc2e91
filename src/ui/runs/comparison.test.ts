import { expect, test } from 'vitest';
import { defaultExperiment, type Experiment } from '../../experiment/experiment.ts';
import type { RunNumbers } from '../../observe/run-numbers.ts';
import { commonLoss, compare } from './comparison.ts';
import type { ComparedRun } from './run-summary.ts';

const numbers: RunNumbers = {
  elapsedMs: 10_000,
  steps: 100,
  examples: 10_000,
  countedExamples: 10_000,
  workers: 3,
  applied: 300,
  stale: 0,
  rejected: 0,
  stalenessMean: 0,
  stalenessMax: 0,
  bytesUp: { control: 0, parameters: 0, gradients: 4_000_000, data: 0 },
  bytesDown: { control: 0, parameters: 4_000_000, gradients: 0, data: 0 },
  bytesBetween: 0,
  waitShare: 0.5,
};

/** Tests at a tenth of the way each, with these losses. */
const runOf = (
  losses: readonly number[],
  changes: Partial<RunNumbers> = {},
  experiment: Partial<Experiment> = {},
): ComparedRun => ({
  numbers: { ...numbers, ...changes },
  log: {
    id: JSON.stringify([losses, changes, experiment]),
    experiment: { ...defaultExperiment, ...experiment },
    startedAtMs: 0,
    summary: null,
    end: null,
    workerCurves: [],
    resources: [],
    timeline: { steps: [], spans: [] },
    profile: null,
    train: [],
    test: losses.map((loss, at) => ({
      step: at * 10,
      elapsedMs: at * 1000,
      wallMs: 0,
      loss,
      examples: at * 1000,
      accuracy: 1 - loss / 10,
      precisions: [],
      auc: null,
    })),
  },
});
const rowsOf = (...runs: ComparedRun[]) => {
  const { results, settings } = compare(runs);
  return Object.fromEntries(
    [...settings, ...results].map(({ name, cells }) => [
      name,
      cells.map(({ text, isBest }) => `${text.replaceAll('\u00a0', ' ')}${isBest ? ' best' : ''}`),
    ]),
  );
};

test('times are to the lowest loss that all reached, and the shortest is best', () => {
  const [fast, slow] = [runOf([2, 0.5, 0.3]), runOf([2, 1, 0.6, 0.5, 0.45])];
  expect(commonLoss([fast, slow])).toBe(0.45);
  expect(rowsOf(fast, slow)['Time to test loss ≤ 0.450']).toEqual(['2.00 s best', '4.00 s']);
  // Of 800 bytes per example, 2,000 and 4,000 examples.
  expect(rowsOf(fast, slow)['Bytes to test loss ≤ 0.450']).toEqual(['1.6 MB best', '3.2 MB']);
});

test('a run that was never tested has no time to compare', () => {
  expect(commonLoss([runOf([2, 1]), runOf([])])).toBeNull();
  expect(rowsOf(runOf([2, 1]), runOf([]))['Time to test loss ≤ –']).toEqual(['–', '–']);
});

test('more accuracy is better, fewer bytes are, and neither of two step counts is', () => {
  const rows = rowsOf(
    runOf([0.5], { steps: 50 }),
    runOf([0.4], { bytesUp: { ...numbers.bytesUp, gradients: 1_000_000 } }),
  );
  expect(rows['Test accuracy']).toEqual(['95.0 %', '96.0 % best']);
  expect(rows['Bytes up']).toEqual(['4.0 MB', '1.0 MB best']);
  expect(rows['Bytes per example']).toEqual(['800 B', '500 B best']);
  expect(rows.Steps).toEqual(['50', '100']);
});

test('what looks the same is equally good, and where all do nobody is best', () => {
  const rows = rowsOf(runOf([0.5]), runOf([0.5001]), runOf([0.7]));
  expect(rows['Test loss']).toEqual(['0.500 best', '0.500 best', '0.700']);
  expect(rows['Bytes down']).toEqual(['4.0 MB', '4.0 MB', '4.0 MB']);
});

test('totals of runs that did different work are shown, but none is called best', () => {
  const runs = [runOf([0.5]), runOf([0.5], { examples: 20_000, countedExamples: 20_000, elapsedMs: 30_000 })];
  expect(rowsOf(...runs)['Time in all']).toEqual(['10.0 s', '30.0 s']);
  expect(rowsOf(...runs)['Examples per second']).toEqual(['1,000 best', '667']);
  expect(compare(runs).caveats.join()).toContain('different numbers of examples');
});

test('bytes of a resumed run are divided by the examples they were counted for', () => {
  const resumed = runOf([0.5], { countedExamples: 5000 });
  expect(rowsOf(resumed, runOf([0.5]))['Bytes per example']).toEqual(['1.6 kB', '800 B best']);
  expect(compare([resumed, runOf([0.5])]).caveats.join()).toContain('resumed');
});

test('a run without kept numbers has curves to compare, and is said to have no bytes', () => {
  const older = { ...runOf([2, 0.4]), numbers: null };
  const rows = rowsOf(older, runOf([2, 0.5]));
  expect(rows['Bytes up']).toEqual(['–', '4.0 MB']);
  expect(rows['Test loss']).toEqual(['0.400 best', '0.500']);
  expect(compare([older, runOf([1])]).caveats.join()).toContain('not kept');
});

test('what rarely happens has a line only where it did', () => {
  expect(rowsOf(runOf([1]), runOf([1]))['Bytes between workers']).toBeUndefined();
  expect(rowsOf(runOf([1]), runOf([1], { bytesBetween: 5e6 }))['Bytes between workers']).toEqual([
    '0 B best',
    '5.0 MB',
  ]);
});

test('only settings that differ and count are listed', () => {
  const rows = rowsOf(
    runOf([1], {}, { strategy: 'sync', backup: 1, lead: 9 }),
    runOf([1], {}, { strategy: 'async', overlap: true, emulate: '*:latency=40' }),
  );
  expect(rows.Strategy).toEqual(['sync', 'async']);
  expect(rows['Backup workers']).toEqual(['1', '–']);
  expect(rows['Compute while sending']).toEqual(['–', 'yes']);
  expect(rows.Emulated).toEqual(['no', 'everyone: 40 ms latency']);
  expect(rows.Model).toBeUndefined();
  expect(rows['Steps ahead, at most']).toBeUndefined();
});

test('made-up conditions are listed even where all runs had the same', () => {
  const emulated = runOf([1], {}, { emulate: '*:latency=40' });
  expect(rowsOf(emulated, emulated).Emulated).toEqual(['everyone: 40 ms latency', 'everyone: 40 ms latency']);
  expect(rowsOf(runOf([1]), runOf([1])).Emulated).toBeUndefined();
});

test('different models are compared with a warning', () => {
  expect(compare([runOf([1]), runOf([1], {}, { model: 'mlp' })]).caveats.join()).toContain('do not compare');
});

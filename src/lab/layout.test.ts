import { expect, test } from 'vitest';
import { layOut } from './layout.ts';
import { parseSweep } from './sweep.ts';

const laidOut = (fields: object) => layOut(parseSweep({ name: 'sweep', ...fields }));

test('cases and values are combined, and repeats come after each other with the next seed', () => {
  const runs = laidOut({ cases: [{ lr: 0.1 }, { lr: 0.2 }], vary: { batch: [10, 1000] }, repeats: 2 });
  expect(runs.map(({ key, repeat, experiment }) => [key, repeat, experiment.seed])).toEqual([
    ['01-batch-10-lr-0.1', 1, 7],
    ['02-batch-1000-lr-0.1', 1, 7],
    ['03-batch-10-lr-0.2', 1, 7],
    ['04-batch-1000-lr-0.2', 1, 7],
    ['01-batch-10-lr-0.1-r2', 2, 8],
    ['02-batch-1000-lr-0.1-r2', 2, 8],
    ['03-batch-10-lr-0.2-r2', 2, 8],
    ['04-batch-1000-lr-0.2-r2', 2, 8],
  ]);
  expect(runs[1]?.label).toBe('batch 1,000, lr 0.1');
  expect(runs[5]?.label).toBe('batch 1,000, lr 0.1');
});

test('single has one worker, and settings that nobody looks at make no runs of their own', () => {
  const runs = laidOut({ vary: { strategy: ['single', 'sync', 'local'], workers: [2, 3], localSteps: [4, 16] } });
  expect(runs.map(({ label }) => label)).toEqual([
    'single',
    'sync × 2',
    'sync × 3',
    'local × 2, 4 local steps',
    'local × 2, 16 local steps',
    'local × 3, 4 local steps',
    'local × 3, 16 local steps',
  ]);
  expect(runs[0]?.experiment.workers).toBe(1);
});

test('labels leave out what all share and what follows from what was said', () => {
  const cases = [
    { strategy: 'sync', workers: 2, lr: 0.2, evalEvery: 50 },
    { strategy: 'sync', workers: 3, lr: 0.3, evalEvery: 33 },
  ];
  expect(laidOut({ cases }).map(({ label }) => label)).toEqual(['2 workers', '3 workers']);
  expect(laidOut({}).map(({ label, key }) => [label, key])).toEqual([['sync', '01-sync']]);
});

test('a stop rule of the sweep stands in place of the usual one', () => {
  expect(laidOut({ base: { untilLoss: 0.35 } })[0]?.experiment).toMatchObject({ untilLoss: 0.35, epochs: null });
  expect(laidOut({ base: { untilLoss: 0.35, epochs: 5 } })[0]?.experiment.epochs).toBe(5);
  expect(laidOut({})[0]?.experiment.epochs).toBe(10);
});

test.each([
  [
    { vary: { strategy: ['sync', 'async'], aggregate: ['mean', 'median'] } },
    'async, median: aggregate: async has no rounds',
  ],
  [{ vary: { model: ['lenet', 'alexnet'] } }, 'alexnet: data: the model alexnet needs images of 227×227×3'],
  [{ cases: [{ workers: 2, backup: 2 }] }, 'backup must be less than the 2 workers'],
  [{ base: { seed: 2 ** 31 - 1 }, repeats: 2 }, 'seed must be a whole number'],
  [{ base: { epochs: null } }, 'it would never end'],
])('%j is refused, and the run is named: %s', (fields, words) => {
  expect(() => laidOut(fields)).toThrow(words);
});

test('no more runs are laid out than anyone would wait for', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
  expect(laidOut({ vary: { batch: hundred }, repeats: 5 })).toHaveLength(500);
  expect(() => laidOut({ vary: { batch: hundred }, repeats: 6 })).toThrow('has 600 runs; at most 500');
  expect(() => laidOut({ vary: { batch: hundred, seed: hundred, lead: hundred, workers: hundred } })).toThrow(
    'at most',
  );
});

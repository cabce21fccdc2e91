import type { Experiment } from '../../experiment/experiment.ts';
import type { Reference } from '../sweep.ts';
import { courseReport, preset } from './preset.ts';

/**
 * The best of some learning rates for SGD on 200,000 examples, by the batch of each of four workers: of a round of all, and
 * where each moves the parameters on its own, on those of a moment ago.
 */
export const sparseRates = [
  { batch: 1, sync: 0.03, async: 0.01 },
  { batch: 100, sync: 1, async: 0.3 },
  { batch: 1000, sync: 4, async: 1 },
  { batch: 10_000, sync: 3, async: 1.5 },
];

const cases = (['sync', 'async'] as const).flatMap((strategy) =>
  sparseRates.map(({ batch, [strategy]: lr }): Partial<Experiment> => {
    const examplesPerStep = strategy === 'sync' ? 4 * batch : batch;
    return { strategy, batch, lr, evalEvery: Math.max(1, Math.round(20_000 / examplesPerStep)) };
  }),
);

const seconds = (strategy: 'sync' | 'async', values: readonly string[]): Reference[] =>
  sparseRates.map(({ batch }, index) => courseReport({ strategy, batch }, 'seconds', values[index] ?? ''));

/** The same examples in batches of 1 to 10,000. */
export const sparseBatch = preset({
  name: 'sparse-batch',
  title: 'Sparse logistic regression on click logs by batch size',
  about:
    'How long do the same examples take in batches of 1, 100, 1,000 and 10,000 per worker? Four workers, 33,762,578 features of which ' +
    'an example has 39; the test error is looked at after every 20,000 examples. The click logs are generated.',
  base: {
    model: 'sparse-logistic',
    data: 'criteo-fake',
    features: 33_762_578,
    examples: 200_000,
    epochs: 1,
    workers: 4,
    deadline: 3600,
  },
  cases,
  references: [
    ...seconds('sync', ['135.7', '67.9', '63.4', '64.8']),
    ...seconds('async', ['145.5', '65.5', '62.3', '62.1']),
  ],
  quick: { base: { examples: 40_000 }, references: [] },
});

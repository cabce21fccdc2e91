import type { Experiment } from '../../experiment/experiment.ts';
import type { Sweep } from '../sweep.ts';

/** Plain SGD walks as far per example at each of these, as far as it stays steady. */
const rates: readonly { readonly batch: number; readonly lr: number }[] = [
  { batch: 1, lr: 0.005 },
  { batch: 5, lr: 0.02 },
  { batch: 10, lr: 0.03 },
  { batch: 20, lr: 0.06 },
  { batch: 40, lr: 0.1 },
  { batch: 50, lr: 0.1 },
  { batch: 100, lr: 0.2 },
  { batch: 128, lr: 0.2 },
  { batch: 200, lr: 0.3 },
  { batch: 500, lr: 0.5 },
  { batch: 600, lr: 0.5 },
  { batch: 1000, lr: 0.5 },
  { batch: 5000, lr: 0.5 },
];

/** A round of n workers averages n batches and may step n times as far. */
const modes = (batches: readonly number[] | 'all', clusters: readonly number[]): Partial<Experiment>[] =>
  rates
    .filter(({ batch }) => batches === 'all' || batches.includes(batch))
    .flatMap(({ batch, lr }): Partial<Experiment>[] => [
      { strategy: 'single', batch, lr },
      ...clusters.map((workers): Partial<Experiment> => ({ strategy: 'sync', workers, batch, lr: lr * workers })),
      ...clusters.map((workers): Partial<Experiment> => ({ strategy: 'async', workers, batch, lr })),
    ]);

/** Steps, seconds and accuracy by batch size, deploy mode and strategy. */
export const mnistSoftmaxBatch: Sweep = {
  name: 'mnist-softmax-batch',
  title: 'Softmax regression on MNIST by batch size',
  about:
    'How do the batch size and the way of working together change the steps and the seconds to a test loss of 0.35? ' +
    'One process, or several workers, synchronous and asynchronous; the test set is looked at every 100 steps. ' +
    'The learning rate goes with the batch size, so that small batches stay steady and large ones are not slow; ' +
    'a synchronous round of n workers steps n times as far.',
  base: { model: 'softmax', data: 'mnist', untilLoss: 0.35, evalEvery: 100, minutes: 10 },
  cases: modes('all', [2, 3]),
  vary: {},
  repeats: 1,
  hostTrains: false,
  references: [],
  quick: { cases: modes([10, 100, 1000], [2]) },
};

import type { Experiment } from '../../experiment/experiment.ts';
import { preset } from './preset.ts';

/** Learning rates by batch size: plain SGD walks as far per example at each, as far as it stays steady. */
const rates: Readonly<Record<number, number>> = {
  ...{ 1: 0.005, 5: 0.02, 10: 0.03, 20: 0.06, 40: 0.1, 50: 0.1, 100: 0.2 },
  ...{ 128: 0.2, 200: 0.3, 500: 0.5, 600: 0.5, 1000: 0.5, 5000: 0.5 },
};

/** A round of n workers averages n batches and may step n times as far. */
const modes = (batches: readonly number[], clusters: readonly number[]): Partial<Experiment>[] =>
  batches.flatMap((batch): Partial<Experiment>[] => {
    const lr = rates[batch] as number;
    return [
      { strategy: 'single', batch, lr },
      ...clusters.map((workers): Partial<Experiment> => ({ strategy: 'sync', workers, batch, lr: lr * workers })),
      ...clusters.map((workers): Partial<Experiment> => ({ strategy: 'async', workers, batch, lr })),
    ];
  });

/** Steps, seconds and accuracy by batch size, deploy mode and strategy. */
export const mnistSoftmaxBatch = preset({
  name: 'mnist-softmax-batch',
  title: 'Softmax regression on MNIST by batch size',
  about:
    'How do the batch size and the way of working together change the steps and the seconds to a test loss of 0.35? ' +
    'One process, or several workers, synchronous and asynchronous; the test set is looked at every 100 steps. ' +
    'The learning rate goes with the batch size, so that small batches stay steady and large ones are not slow; ' +
    'a synchronous round of n workers steps n times as far.',
  base: { model: 'softmax', data: 'mnist', untilLoss: 0.35, evalEvery: 100, minutes: 10 },
  cases: modes(Object.keys(rates).map(Number), [2, 3]),
  quick: { cases: modes([10, 100, 1000], [2]) },
});

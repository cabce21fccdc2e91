import type { Reference, Sweep } from '../sweep.ts';

const accuracy = (strategy: 'single' | 'sync' | 'async', value: string): Reference => ({
  where: { strategy },
  measure: 'accuracy',
  value,
  source: 'course report',
});

/** What accuracy the same number of epochs gives in each mode. */
export const mnistSoftmaxEpochs: Sweep = {
  name: 'mnist-softmax-epochs',
  title: 'Softmax regression on MNIST for 20 epochs of batches of 128',
  about: 'Does working together cost accuracy? Every mode sees the same number of examples.',
  base: { model: 'softmax', data: 'mnist', batch: 128, epochs: 20, evalEvery: 469 },
  cases: [
    { strategy: 'single', lr: 0.2 },
    // A round averages three batches, and steps three times as far.
    { strategy: 'sync', workers: 3, lr: 0.6, evalEvery: 157 },
    { strategy: 'async', workers: 3, lr: 0.2 },
  ],
  vary: {},
  repeats: 1,
  hostTrains: false,
  references: [accuracy('single', '91.8 %'), accuracy('sync', '91.74 %'), accuracy('async', '91.57 %')],
  quick: { base: { epochs: 4 }, references: [] },
};

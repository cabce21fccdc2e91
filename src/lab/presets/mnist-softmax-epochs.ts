import type { Reference } from '../sweep.ts';
import { courseReport, preset } from './preset.ts';

const accuracy = (strategy: 'single' | 'sync' | 'async', value: string): Reference =>
  courseReport({ strategy }, 'accuracy', value);

/** What accuracy the same number of epochs gives in each mode. */
export const mnistSoftmaxEpochs = preset({
  name: 'mnist-softmax-epochs',
  title: 'Softmax regression on MNIST: accuracy by mode after the same epochs',
  about:
    'Does working together cost accuracy? Every mode sees the same number of examples, in batches of 128 at each worker. ' +
    'A synchronous round of three workers averages three batches and steps three times as far. ' +
    'A course report on distributed TensorFlow trained for 20 epochs.',
  base: { model: 'softmax', data: 'mnist', batch: 128, epochs: 20, evalEvery: 469 },
  cases: [
    { strategy: 'single', lr: 0.2 },
    // A round averages three batches, and steps three times as far.
    { strategy: 'sync', workers: 3, lr: 0.6, evalEvery: 157 },
    { strategy: 'async', workers: 3, lr: 0.2 },
  ],
  references: [accuracy('single', '91.8 %'), accuracy('sync', '91.74 %'), accuracy('async', '91.57 %')],
  quick: { base: { epochs: 4 }, references: [] },
});

import type { Experiment } from '../../experiment/experiment.ts';
import type { Reference } from '../sweep.ts';
import { courseReport, preset } from './preset.ts';

/** A round of n workers averages n batches: it may step n times as far, and does the work of n steps. */
const clusters = (lr: number): Partial<Experiment>[] => [
  { strategy: 'single', lr },
  ...[1, 2, 3].map((workers): Partial<Experiment> => ({ strategy: 'sync', workers, lr: lr * workers })),
  ...[1, 2, 3].map((workers): Partial<Experiment> => ({ strategy: 'async', workers, lr })),
];

const seconds = (strategy: Experiment['strategy'], workers: number, value: string): Reference =>
  courseReport({ strategy, workers }, 'seconds', value);

/** One process against 1, 2 and 3 workers, synchronous and asynchronous, to the same test loss. */
export const mnistSoftmaxCluster = preset({
  name: 'mnist-softmax-cluster',
  title: 'Softmax regression on MNIST to a test loss of 0.35, by workers',
  about:
    'Do more workers reach the same test loss sooner? Every worker takes batches of 100; the test set is looked at every 100 steps. ' +
    'A synchronous round of n workers averages n batches and steps n times as far, so n workers need an nth of the steps; ' +
    'an asynchronous push is a step by itself, and workers share the steps as they come. ' +
    'In a course report on distributed TensorFlow each worker did all the steps, and more workers took longer.',
  base: { model: 'softmax', data: 'mnist', batch: 100, untilLoss: 0.35, evalEvery: 100, minutes: 10 },
  cases: clusters(0.01),
  repeats: 3,
  references: [
    seconds('single', 1, '13.7–14.0'),
    seconds('sync', 2, '34–113'),
    seconds('sync', 3, '38–123'),
    seconds('async', 2, '31–38'),
    seconds('async', 3, '10.8–36.8'),
  ],
  quick: { cases: clusters(0.02), repeats: 1 },
});

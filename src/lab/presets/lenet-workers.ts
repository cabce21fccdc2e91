import type { Experiment } from '../../experiment/experiment.ts';
import type { Reference } from '../sweep.ts';
import { courseReport, preset } from './preset.ts';

/** The test set is looked at once in so many epochs: one has 60,000 examples, in rounds of 64 per worker. */
const nodes = (strategy: Experiment['strategy'], workers: number, epochs: number): Partial<Experiment> => ({
  strategy,
  workers,
  evalEvery: Math.ceil((epochs * 60_000) / (64 * workers)),
});
const clusters = (epochs: number): Partial<Experiment>[] => [
  nodes('single', 1, epochs),
  ...[1, 2, 3].map((workers) => nodes('sync', workers, epochs)),
  ...[1, 2, 3].map((workers) => nodes('allreduce', workers, epochs)),
];

const byWorkers = (measure: Reference['measure'], values: readonly string[]): Reference[] =>
  values.map((value, index) => courseReport({ strategy: 'allreduce', workers: index + 1 }, measure, value));
const epochTimes = byWorkers('epochSeconds', ['17', '12', '12']);

/** What a second and a third worker bring, through the host and from worker to worker. */
export const lenetWorkers = preset({
  name: 'lenet-workers',
  title: 'LeNet on MNIST by number of workers',
  about:
    'How much shorter does an epoch get with two and three workers, and what do they use? Adam, batches of 64 at each worker; ' +
    'gradients go through the host (sync) or from worker to worker (allreduce), as in a course report on distributed TensorFlow.',
  base: { model: 'lenet', data: 'mnist', optimizer: 'adam', lr: 0.001, batch: 64, epochs: 20 },
  cases: clusters(1),
  references: [...epochTimes, ...byWorkers('accuracy', ['99.08 %', '99.13 %', '98.9 %'])],
  quick: { base: { epochs: 0.5 }, cases: clusters(0.25), references: epochTimes },
});

import type { Reference, Sweep } from '../sweep.ts';
import { courseReport } from './course-report.ts';

/** Four looks at the test set per run: an epoch of three workers has 20,000 / batch rounds. */
const looks = (batch: number, epochs: number): number => Math.max(1, Math.ceil((epochs * 20_000) / batch / 4));

const reference = (batch: number, measure: Reference['measure'], value: string): Reference =>
  courseReport({ workers: 3, batch }, measure, value);
const resources = [
  reference(8, 'epochSeconds', '45'),
  reference(64, 'epochSeconds', '12'),
  reference(512, 'epochSeconds', '14'),
  reference(8, 'megabytesPerSecond', '17'),
  reference(64, 'megabytesPerSecond', '8'),
  reference(512, 'megabytesPerSecond', '0.9'),
  reference(8, 'cpu', '40 %'),
  reference(64, 'cpu', '52 %'),
  reference(512, 'cpu', '44 %'),
];

/** What the batch size does to an epoch's time and to what it takes. */
export const lenetBatch: Sweep = {
  name: 'lenet-batch',
  title: 'LeNet on MNIST by batch size',
  about:
    'Which batch size makes the shortest epoch, and what limits the others? Adam, synchronous; the batch is that of one worker. ' +
    'Small batches exchange gradients more often, large ones take fewer steps to learn in.',
  base: { model: 'lenet', data: 'mnist', strategy: 'sync', optimizer: 'adam', lr: 0.001, epochs: 20 },
  cases: [8, 32, 64, 128, 256, 512].map((batch) => ({ batch, evalEvery: looks(batch, 4) })),
  vary: { workers: [1, 2, 3] },
  repeats: 1,
  hostTrains: false,
  references: [
    ...resources,
    reference(8, 'accuracy', '98.9 %'),
    reference(64, 'accuracy', '98.9 %'),
    reference(512, 'accuracy', '98.0 %'),
  ],
  // Small batches make slow epochs: a part of one tells the time of all of it.
  quick: {
    cases: [
      { batch: 8, epochs: 0.2, evalEvery: looks(8, 0.2) },
      { batch: 64, epochs: 0.5, evalEvery: looks(64, 0.5) },
      { batch: 512, epochs: 1, evalEvery: looks(512, 1) },
    ],
    vary: { workers: [3] },
    references: resources,
  },
};

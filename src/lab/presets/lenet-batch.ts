import type { Reference } from '../sweep.ts';
import { courseReport, preset } from './preset.ts';

/** Four looks at the test set per run: an epoch of three workers has 20,000 / batch rounds. */
const looks = (batch: number, epochs: number): number => Math.max(1, Math.ceil((epochs * 20_000) / batch / 4));

const byBatch = (measure: Reference['measure'], values: Readonly<Record<number, string>>): Reference[] =>
  Object.entries(values).map(([batch, value]) => courseReport({ workers: 3, batch: Number(batch) }, measure, value));
const resources = [
  ...byBatch('epochSeconds', { 8: '45', 64: '12', 512: '14' }),
  ...byBatch('megabytesPerSecond', { 8: '17', 64: '8', 512: '0.9' }),
  ...byBatch('cpu', { 8: '40 %', 64: '52 %', 512: '44 %' }),
];

/** What the batch size does to an epoch's time and to what it takes. */
export const lenetBatch = preset({
  name: 'lenet-batch',
  title: 'LeNet on MNIST by batch size',
  about:
    'Which batch size makes the shortest epoch, and what limits the others? Adam, synchronous; the batch is that of one worker. ' +
    'Small batches exchange gradients more often, large ones take fewer steps to learn in.',
  base: { model: 'lenet', data: 'mnist', strategy: 'sync', optimizer: 'adam', lr: 0.001, epochs: 20 },
  cases: [8, 32, 64, 128, 256, 512].map((batch) => ({ batch, evalEvery: looks(batch, 4) })),
  vary: { workers: [1, 2, 3] },
  references: [...resources, ...byBatch('accuracy', { 8: '98.9 %', 64: '98.9 %', 512: '98.0 %' })],
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
});

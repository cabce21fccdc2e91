import type { Experiment } from '../../experiment/experiment.ts';
import type { Reference } from '../sweep.ts';
import { courseReport, preset } from './preset.ts';

/** A look at the test set after every `examples`; a round of sync has four batches of 100, one of local 16 times as many. */
const modes = (examples: number): Partial<Experiment>[] => [
  { strategy: 'sync', lr: 1, evalEvery: Math.round(examples / 400) },
  { strategy: 'async', lr: 0.3, evalEvery: Math.round(examples / 100) },
  { strategy: 'bounded', lr: 0.3, evalEvery: Math.round(examples / 100) },
  {
    strategy: 'local',
    lr: 1,
    localSteps: 16,
    outer: 'average',
    evalEvery: Math.max(1, Math.round(examples / 6400)),
  },
];

const reference = (strategy: 'sync' | 'async', measure: Reference['measure'], value: string): Reference =>
  courseReport({ strategy }, measure, value);
const stepTimes = [reference('sync', 'stepSeconds', '0.006'), reference('async', 'stepSeconds', '0.0025')];

/** The strategies side by side on the same examples. */
export const sparseModes = preset({
  name: 'sparse-modes',
  title: 'Sparse logistic regression on click logs by strategy',
  about:
    'Which way of working together is fastest, which is best after the same examples, and what bounds each? Four workers, batches of 100, ' +
    '33,762,578 features; the click logs are generated. A course report on distributed TensorFlow took 50,000 steps; it tells of 6 s ' +
    'for 1,000 synchronous ones and 2.5 s for 1,000 asynchronous ones.',
  base: {
    model: 'sparse-logistic',
    data: 'criteo-fake',
    features: 33_762_578,
    examples: 5_000_000,
    epochs: 1,
    batch: 100,
    workers: 4,
    deadline: 3600,
  },
  cases: modes(200_000),
  references: [
    reference('sync', 'seconds', '1,425'),
    reference('async', 'seconds', '285'),
    ...stepTimes,
    reference('sync', 'accuracy', '72.48 %'),
    reference('async', 'accuracy', '74.73 %'),
  ],
  quick: { base: { examples: 200_000 }, cases: modes(20_000), references: stepTimes },
});

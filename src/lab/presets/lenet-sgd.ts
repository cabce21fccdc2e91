import { courseReport, preset } from './preset.ts';

/** Long training with plain SGD, alone and in pairs. */
export const lenetSgd = preset({
  name: 'lenet-sgd',
  title: 'LeNet on MNIST with plain SGD',
  about:
    'How far does plain SGD get, in one process and with two workers, whose rounds average two batches? ' +
    'A course report on distributed TensorFlow took 50 times 1,000 steps.',
  base: { model: 'lenet', data: 'mnist', optimizer: 'sgd', lr: 0.01, batch: 64, maxSteps: 50_000, evalEvery: 1000 },
  cases: [{ strategy: 'single' }, { strategy: 'sync', workers: 2 }],
  references: [courseReport({ strategy: 'single' }, 'accuracy', '96 %')],
  quick: { base: { maxSteps: 1000, evalEvery: 250 }, references: [] },
});

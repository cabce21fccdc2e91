import type { Sweep } from '../sweep.ts';

/** Long training with plain SGD, alone and in pairs. */
export const lenetSgd: Sweep = {
  name: 'lenet-sgd',
  title: 'LeNet on MNIST with plain SGD, 50,000 steps',
  about: 'How far does plain SGD get in 50 times 1,000 steps, in one process and with two workers?',
  base: { model: 'lenet', data: 'mnist', optimizer: 'sgd', lr: 0.01, batch: 64, maxSteps: 50_000, evalEvery: 1000 },
  cases: [{ strategy: 'single' }, { strategy: 'sync', workers: 2 }],
  vary: {},
  repeats: 1,
  hostTrains: false,
  references: [{ where: { strategy: 'single' }, measure: 'accuracy', value: '96 %', source: 'course report' }],
  quick: { base: { maxSteps: 1000, evalEvery: 250 }, references: [] },
};

import { preset } from './preset.ts';

/** AlexNet's traffic and time on images made on the spot, by batch size, number of batches and machines. */
export const alexnetFake = preset({
  name: 'alexnet-fake',
  title: 'AlexNet on generated images',
  about:
    'What does a large model cost to train together? Synchronous, two and four workers; batch size and number of batches vary. ' +
    'Batches of 6 train all of AlexNet, 61 million parameters; batches of 600 its small form, as 600 large images fit into no tab. ' +
    'In a course report the node with the parameter server carried about 700 MB, a worker about 250 MB.',
  base: { strategy: 'sync', lr: 0.01, optimizer: 'momentum', evalEvery: 2, deadline: 3600 },
  cases: [
    { model: 'alexnet', data: 'fake-227', batch: 6 },
    { model: 'alexnet-small', data: 'fake-32', batch: 600 },
  ],
  vary: { workers: [2, 4], maxSteps: [4, 5, 6, 7] },
  quick: {
    base: { model: 'alexnet-small', data: 'fake-32' },
    cases: [{ batch: 6 }, { batch: 600 }],
    vary: { workers: [2, 4], maxSteps: [4, 7] },
  },
});

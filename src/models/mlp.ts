import type { Model } from './model.ts';

/** One hidden layer of 128 rectified units: the smallest network that is not linear. */
export const mlp: Model = {
  name: 'mlp',
  title: 'One hidden layer (128)',
  layers: (classes) => [
    { kind: 'flatten' },
    { kind: 'dense', name: 'hidden', units: 128, init: 'he' },
    { kind: 'relu' },
    { kind: 'dense', name: 'softmax', units: classes, init: 'zeros' },
  ],
};

import type { Model } from './model.ts';

/** Multinomial logistic regression: one dense layer from pixels to classes. */
export const softmax: Model = {
  name: 'softmax',
  title: 'Softmax regression',
  layers: (classes) => [{ kind: 'flatten' }, { kind: 'dense', name: 'softmax', units: classes, init: 'zeros' }],
};

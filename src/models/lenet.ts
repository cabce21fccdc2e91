import type { Model } from './model.ts';

/** LeNet-5 with rectified units: two convolutions with average pooling, three dense layers. */
export const lenet: Model = {
  name: 'lenet',
  title: 'LeNet-5',
  input: [28, 28, 1],
  layers: (classes) => [
    // Of MNIST's pixels.
    { kind: 'standardize', mean: 0.1307, deviation: 0.3081 },
    { kind: 'conv', name: 'conv1', filters: 6, size: 5, stride: 1, pad: 'same' },
    { kind: 'relu' },
    { kind: 'avgpool', size: 2, stride: 2 },
    { kind: 'conv', name: 'conv2', filters: 16, size: 5, stride: 1, pad: 'valid' },
    { kind: 'relu' },
    { kind: 'avgpool', size: 2, stride: 2 },
    { kind: 'flatten' },
    { kind: 'dense', name: 'dense1', units: 120, init: 'he' },
    { kind: 'relu' },
    { kind: 'dense', name: 'dense2', units: 84, init: 'he' },
    { kind: 'relu' },
    { kind: 'dense', name: 'softmax', units: classes, init: 'he' },
  ],
};

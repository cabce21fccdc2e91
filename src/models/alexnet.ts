import type { Layer } from './layer.ts';
import type { Model } from './model.ts';

/** Widths of its five convolutions and two hidden dense layers, and the first convolution's window. */
export interface AlexNetSizes {
  readonly first: { readonly size: number; readonly stride: number; readonly pad: 'same' | 'valid' };
  readonly filters: readonly [number, number, number, number, number];
  readonly units: number;
}

/** As published: five channels, k = 2, α = 10⁻⁴, β = 0.75. */
const lrn: Layer = { kind: 'lrn', radius: 2, bias: 2, alpha: 1e-4, beta: 0.75 };
const pool: Layer = { kind: 'maxpool', size: 3, stride: 2 };
const relu: Layer = { kind: 'relu' };
const half: Layer = { kind: 'dropout', rate: 0.5 };

/** The layers of Krizhevsky, Sutskever and Hinton (2012) in one tower, of any size. */
export function alexNetLayers({ first, filters, units }: AlexNetSizes, classes: number): readonly Layer[] {
  const conv = (index: 1 | 2 | 3 | 4 | 5, size: number): Layer => ({
    kind: 'conv',
    name: `conv${index}`,
    filters: filters[index - 1] ?? 0,
    size,
    stride: 1,
    pad: 'same',
  });
  const dense = (name: string): Layer => ({ kind: 'dense', name, units, init: 'he' });
  return [
    { kind: 'standardize', mean: 0.5, deviation: 0.25 },
    { kind: 'conv', name: 'conv1', filters: filters[0], ...first },
    ...[relu, lrn, pool],
    ...[conv(2, 5), relu, lrn, pool],
    ...[conv(3, 3), relu],
    ...[conv(4, 3), relu],
    ...[conv(5, 3), relu, pool],
    { kind: 'flatten' },
    ...[dense('dense1'), relu, half],
    ...[dense('dense2'), relu, half],
    { kind: 'dense', name: 'softmax', units: classes, init: 'he' },
  ];
}

/** AlexNet with the widths of its one-tower form: 61.1 million parameters with 1000 classes. */
export const alexnet: Model = {
  name: 'alexnet',
  title: 'AlexNet',
  input: [227, 227, 3],
  layers: (classes) =>
    alexNetLayers(
      { first: { size: 11, stride: 4, pad: 'valid' }, filters: [64, 192, 384, 256, 256], units: 4096 },
      classes,
    ),
};

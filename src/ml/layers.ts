import type { Tensor } from '@tensorflow/tfjs-core';
import type { Layer } from '../models/layer.ts';
import { biasGradient, biasKernels } from './kernels/bias.ts';
import { filterGradient, filterKernels } from './kernels/filter-gradient.ts';
import { kernel, tensorOf } from './kernels/kernel.ts';
import { reluGradient, reluKernels } from './kernels/relu.ts';

/** What a layer took and gave on the way forward. */
export interface Passed {
  readonly x: Tensor;
  readonly y: Tensor;
}

/** How a layer computes. Its tensors live until the surrounding `tidy` ends. */
export interface LayerMath {
  /** Every kernel it runs, forward and backward. */
  readonly needs: readonly string[];
  readonly tensorCount: number;
  /** `mask` is there for a dropout layer in training. */
  forward(x: Tensor, params: readonly Tensor[], mask: Tensor | null): Tensor;
  /** The gradients of its parameters, in their order. */
  paramGradients(passed: Passed, dy: Tensor): readonly Tensor[];
  /** The gradient of its input. */
  inputGradient(passed: Passed, dy: Tensor, params: readonly Tensor[], mask: Tensor | null): Tensor;
}

const reshape = (x: Tensor, shape: readonly number[]) => kernel('Reshape', { x }, { shape: [...shape] });

const flatten: LayerMath = {
  needs: ['Reshape'],
  tensorCount: 0,
  forward: (x) => reshape(x, [x.shape[0] ?? 0, x.size / (x.shape[0] ?? 1)]),
  paramGradients: () => [],
  inputGradient: ({ x }, dy) => reshape(dy, x.shape),
};

const relu: LayerMath = {
  needs: ['Relu', ...reluKernels],
  tensorCount: 0,
  forward: (x) => kernel('Relu', { x }),
  paramGradients: () => [],
  inputGradient: ({ y }, dy) => reluGradient(y, dy),
};

const standardize = (mean: number, deviation: number): LayerMath => {
  const scalar = (value: number) => tensorOf(Float32Array.of(value), []);
  const scaled = (x: Tensor) => kernel('Multiply', { a: x, b: scalar(1 / deviation) });
  return {
    needs: ['Sub', 'Multiply'],
    tensorCount: 0,
    forward: (x) => scaled(kernel('Sub', { a: x, b: scalar(mean) })),
    paramGradients: () => [],
    inputGradient: (_, dy) => scaled(dy),
  };
};

const activation = (isRelu: boolean) => (isRelu ? 'relu' : 'linear');

const dense = (isRelu: boolean): LayerMath => ({
  needs: ['_FusedMatMul', 'BatchMatMul', ...biasKernels, ...(isRelu ? reluKernels : [])],
  tensorCount: 2,
  forward: (x, [b, bias]) =>
    kernel(
      '_FusedMatMul',
      { a: x, b: given(b), bias: given(bias) },
      { transposeA: false, transposeB: false, activation: activation(isRelu), leakyreluAlpha: 0 },
    ),
  paramGradients: ({ x }, dy) => [
    kernel('BatchMatMul', { a: x, b: dy }, { transposeA: true, transposeB: false }),
    biasGradient(dy),
  ],
  inputGradient: (_, dy, [weights]) =>
    kernel('BatchMatMul', { a: dy, b: given(weights) }, { transposeA: false, transposeB: true }),
});

const conv = ({ size, filters, stride, pad }: Extract<Layer, { kind: 'conv' }>, isRelu: boolean): LayerMath => {
  const window = { strides: [stride, stride], pad, dataFormat: 'NHWC' };
  return {
    needs: ['FusedConv2D', 'Conv2DBackpropInput', ...filterKernels, ...biasKernels, ...(isRelu ? reluKernels : [])],
    tensorCount: 2,
    forward: (x, [filter, bias]) =>
      kernel(
        'FusedConv2D',
        { x, filter: given(filter), bias: given(bias) },
        { ...window, dilations: [1, 1], activation: activation(isRelu), leakyreluAlpha: 0 },
      ),
    paramGradients: ({ x }, dy) => [filterGradient(x, dy, { size, filters, stride, pad }), biasGradient(dy)],
    inputGradient: ({ x }, dy, [filter]) =>
      kernel('Conv2DBackpropInput', { dy, filter: given(filter) }, { ...window, inputShape: x.shape }),
  };
};

const pool = (kind: 'avgpool' | 'maxpool', size: number, stride: number): LayerMath => {
  const name = kind === 'avgpool' ? 'AvgPool' : 'MaxPool';
  const attrs = { filterSize: [size, size], strides: [stride, stride], pad: 'valid' };
  return {
    needs: [name, `${name}Grad`],
    tensorCount: 0,
    forward: (x) => kernel(name, { x }, attrs),
    paramGradients: () => [],
    inputGradient: ({ x, y }, dy) =>
      kernel(`${name}Grad`, { dy, input: x, ...(kind === 'maxpool' && { output: y }) }, attrs),
  };
};

const lrn = ({ radius, bias, alpha, beta }: Extract<Layer, { kind: 'lrn' }>): LayerMath => {
  const attrs = { depthRadius: radius, bias, alpha, beta };
  return {
    needs: ['LRN', 'LRNGrad'],
    tensorCount: 0,
    forward: (x) => kernel('LRN', { x }, attrs),
    paramGradients: () => [],
    inputGradient: ({ x, y }, dy) => kernel('LRNGrad', { x, y, dy }, attrs),
  };
};

const masked = (x: Tensor, mask: Tensor | null) => (mask === null ? x : kernel('Multiply', { a: x, b: mask }));

const dropout: LayerMath = {
  needs: ['Multiply'],
  tensorCount: 0,
  forward: (x, _, mask) => masked(x, mask),
  paramGradients: () => [],
  inputGradient: (_, dy, __, mask) => masked(dy, mask),
};

function given(tensor: Tensor | undefined): Tensor {
  if (tensor === undefined) throw new Error('a layer got fewer parameters than its schema has');
  return tensor;
}

/** How this kind of layer computes; `isRelu` if the relu after it is to be part of it. */
export function layerMath(layer: Layer, isRelu: boolean): LayerMath {
  switch (layer.kind) {
    case 'flatten':
      return flatten;
    case 'relu':
      return relu;
    case 'standardize':
      return standardize(layer.mean, layer.deviation);
    case 'dense':
      return dense(isRelu);
    case 'conv':
      return conv(layer, isRelu);
    case 'avgpool':
    case 'maxpool':
      return pool(layer.kind, layer.size, layer.stride);
    case 'lrn':
      return lrn(layer);
    case 'dropout':
      return dropout;
    default:
      return layer satisfies never;
  }
}

import type { Tensor } from '@tensorflow/tfjs-core';
import type { Layer } from '../models/layer.ts';
import { kernel } from './kernels/kernel.ts';
import { product, productABt, productAtB, productKernels } from './kernels/products.ts';

/** What a layer took and gave on the way forward. `xTransposed` is there if someone has already made it. */
export interface Passed {
  readonly x: Tensor;
  readonly xTransposed: Tensor | null;
  readonly y: Tensor;
}

/** How a layer computes. Its tensors live until the surrounding `tidy` ends. */
export interface LayerMath {
  /** Every kernel it runs, forward and backward. */
  readonly needs: readonly string[];
  readonly tensorCount: number;
  forward(x: Tensor, params: readonly Tensor[]): Tensor;
  /** The gradients of its parameters, in their order. */
  paramGradients(passed: Passed, dy: Tensor): readonly Tensor[];
  /** The gradient of its input. */
  inputGradient(passed: Passed, dy: Tensor, params: readonly Tensor[]): Tensor;
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
  needs: ['Relu', 'Step', 'Multiply'],
  tensorCount: 0,
  forward: (x) => kernel('Relu', { x }),
  paramGradients: () => [],
  inputGradient: ({ y }, dy) => kernel('Multiply', { a: dy, b: kernel('Step', { x: y }, { alpha: 0 }) }),
};

const dense: LayerMath = {
  needs: [...productKernels, 'Add', 'Sum'],
  tensorCount: 2,
  forward: (x, [weights, bias]) => kernel('Add', { a: product(x, given(weights)), b: given(bias) }),
  paramGradients: ({ x, xTransposed }, dy) => [
    xTransposed === null ? productAtB(x, dy) : product(xTransposed, dy),
    kernel('Sum', { x: dy }, { axis: [0], keepDims: false }),
  ],
  inputGradient: (_, dy, [weights]) => productABt(dy, given(weights)),
};

function given(tensor: Tensor | undefined): Tensor {
  if (tensor === undefined) throw new Error('a layer got fewer parameters than its schema has');
  return tensor;
}

/** How this kind of layer computes. */
export function layerMath(layer: Layer): LayerMath {
  switch (layer.kind) {
    case 'flatten':
      return flatten;
    case 'relu':
      return relu;
    case 'dense':
      return dense;
    default:
      return layer satisfies never;
  }
}

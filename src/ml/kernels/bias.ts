import { getBackend, type Tensor } from '@tensorflow/tfjs-core';
import { kernel } from './kernel.ts';
import { COLUMN_SUMS } from './wasm/names.ts';

export const biasKernels = ['Sum'] as const;

/** Sums over all dimensions but the last. */
export function biasGradient(dy: Tensor): Tensor {
  if (getBackend() === 'wasm') return kernel(COLUMN_SUMS, { x: dy });
  const sum = (x: Tensor, axis: number[]) => kernel('Sum', { x }, { axis, keepDims: false });
  // A GPU sums each example's pixels at the same time; all at once would keep one workgroup per channel busy.
  return sum(dy.rank === 4 ? sum(dy, [1, 2]) : dy, [0]);
}

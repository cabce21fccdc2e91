import { getBackend, type Tensor } from '@tensorflow/tfjs-core';
import { kernel } from './kernel.ts';
import { RELU_GRADIENT } from './wasm/names.ts';

export const reluKernels = ['Step', 'Multiply'] as const;

/** dy where relu's output y is positive, else 0. */
export const reluGradient = (y: Tensor, dy: Tensor): Tensor =>
  getBackend() === 'wasm'
    ? kernel(RELU_GRADIENT, { y, dy })
    : kernel('Multiply', { a: dy, b: kernel('Step', { x: y }, { alpha: 0 }) });

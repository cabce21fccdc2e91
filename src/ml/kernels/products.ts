import { getBackend, type Tensor } from '@tensorflow/tfjs-core';
import { kernel } from './kernel.ts';

/** What the functions here run. */
export const productKernels = ['BatchMatMul', 'Transpose'] as const;

/** wasm multiplies transposed matrices with a plain loop, 4 to 20 times slower than transposing and then multiplying. */
export const transposesFirst = (): boolean => getBackend() === 'wasm';

/** xᵀ of a matrix. */
export const transpose = (x: Tensor): Tensor => kernel('Transpose', { x }, { perm: [1, 0] });

/** a · b */
export const product = (a: Tensor, b: Tensor): Tensor => multiply(a, b, false, false);

/** aᵀ · b */
export const productAtB = (a: Tensor, b: Tensor): Tensor =>
  transposesFirst() ? multiply(transpose(a), b, false, false) : multiply(a, b, true, false);

/** a · bᵀ */
export const productABt = (a: Tensor, b: Tensor): Tensor =>
  transposesFirst() ? multiply(a, transpose(b), false, false) : multiply(a, b, false, true);

const multiply = (a: Tensor, b: Tensor, transposeA: boolean, transposeB: boolean) =>
  kernel('BatchMatMul', { a, b }, { transposeA, transposeB });

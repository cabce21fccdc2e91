import { getBackend, type Tensor, tidy } from '@tensorflow/tfjs-core';
import type { DataSpec } from '../models/data.ts';
import { elements } from '../models/layer.ts';
import { kernel, tensorOf } from './kernels/kernel.ts';
import { transpose } from './kernels/products.ts';

/** Pixels 0 … 255 become numbers 0 … 1. */
const PIXEL_SCALE = 1 / 255;

/** Puts examples on the device. `close` frees what it keeps for itself. */
export interface Stager {
  /** [examples, …input] in 0 … 1. */
  input(images: Uint8Array, indices: Uint32Array): Tensor;
  /** [elements, examples]: the same numbers, transposed. */
  transposed(input: Tensor): Tensor;
  /** [examples, classes], one-hot. */
  target(labels: Uint8Array): Tensor;
  close(): void;
}

/** The kernels it runs. */
export const stagingKernels = ['Multiply', 'Reshape', 'Transpose'];

export function stager(data: DataSpec): Stager {
  const size = elements(data.input);
  const scale = tensorOf(Float32Array.of(PIXEL_SCALE), []);
  // wasm copies values at once, so one buffer serves all batches; the others read them later.
  const isCopied = getBackend() === 'wasm';
  let scratch = new Float32Array(0);
  const buffer = (length: number) => {
    if (!isCopied) return new Float32Array(length);
    if (scratch.length !== length) scratch = new Float32Array(length);
    return scratch;
  };
  return {
    input(images, indices) {
      const values = buffer(indices.length * size);
      // `set` converts rows in native code, five times faster than a loop; scaling is then a matter for the device.
      for (const [row, index] of indices.entries()) {
        const start = index * size;
        if (start + size > images.length) throw new RangeError(`example ${index} is beyond the data`);
        values.set(images.subarray(start, start + size), row * size);
      }
      return tidy(() => kernel('Multiply', { a: tensorOf(values, [indices.length, ...data.input]), b: scale }));
    },
    transposed: (input) =>
      tidy(() => transpose(kernel('Reshape', { x: input }, { shape: [input.shape[0] ?? 0, size] }))),
    target(labels) {
      const values = new Float32Array(labels.length * data.classes);
      for (const [row, label] of labels.entries()) values[row * data.classes + label] = 1;
      return tensorOf(values, [labels.length, data.classes]);
    },
    close: () => scale.dispose(),
  };
}

import { getBackend, type Tensor, tidy } from '@tensorflow/tfjs-core';
import { rng } from '../core/math/rng.ts';
import type { DataSpec } from '../models/data.ts';
import type { Labels } from '../models/labels.ts';
import { elements } from '../models/layer.ts';
import { kernel, tensorOf } from './kernels/kernel.ts';
import type { Dropout } from './network.ts';

/** Pixels 0 … 255 become numbers 0 … 1. */
const PIXEL_SCALE = 1 / 255;

/**
 * Which random numbers a step's dropout takes: those of the run's seed at the batch's positions in the order of
 * examples. So a step can be computed again, by anyone, and two workers' halves of a batch are what one would drop.
 */
export interface Draw {
  readonly seed: number;
  readonly from: number;
}

/** Puts examples on the device. `close` frees what it keeps for itself. */
export interface Stager {
  /** [examples, …input] in 0 … 1. */
  input(images: Uint8Array, indices: Uint32Array): Tensor;
  /** [examples, classes], one-hot. */
  target(labels: Labels): Tensor;
  /** For each dropout layer, [examples, …shape]: 0 where dropped, else 1 / (1 − rate). */
  masks(dropouts: readonly Dropout[], examples: number, draw: Draw): Tensor[];
  close(): void;
}

/** The kernels it runs. */
export const stagingKernels = ['Multiply'];

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
    target(labels) {
      const values = new Float32Array(labels.length * data.classes);
      for (const [row, label] of labels.entries()) values[row * data.classes + label] = 1;
      return tensorOf(values, [labels.length, data.classes]);
    },
    masks: (dropouts, examples, { seed, from }) =>
      dropouts.map(({ rate, shape }, layer) => {
        const width = elements(shape);
        const values = new Float32Array(examples * width);
        const kept = 1 / (1 - rate);
        for (let row = 0; row < examples; row++) {
          const random = rng(seed, 'dropout', layer, from + row);
          for (let i = row * width; i < (row + 1) * width; i++) values[i] = random.uniform() < rate ? 0 : kept;
        }
        return tensorOf(values, [examples, ...shape]);
      }),
    close: () => scale.dispose(),
  };
}

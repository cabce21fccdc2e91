import { backend_util, engine, type Tensor } from '@tensorflow/tfjs-core';
import type { Padding } from '../../models/layer.ts';
import { kernel } from './kernel.ts';

/** A square convolution's window. */
export interface ConvWindow {
  readonly size: number;
  readonly filters: number;
  readonly stride: number;
  readonly pad: Padding;
}

export const patchKernels = ['PadV2', 'GatherV2', 'Reshape', 'BatchMatMul', 'Sum'] as const;

/** Which pixels of a padded image each patch has: [patches × taps]. Small, and the same in every step. */
const indicesByShape = new Map<string, Int32Array>();

function patchIndices(rows: number, cols: number, width: number, size: number, stride: number): Int32Array {
  const key = [rows, cols, width, size, stride].join();
  let indices = indicesByShape.get(key);
  if (indices === undefined) {
    const taps = size * size;
    indices = Int32Array.from({ length: rows * cols * taps }, (_, i) => {
      const [patch, tap] = [Math.floor(i / taps), i % taps];
      const row = Math.floor(patch / cols) * stride + Math.floor(tap / size);
      return row * width + (patch % cols) * stride + (tap % size);
    });
    indicesByShape.set(key, indices);
  }
  return indices;
}

/**
 * The gradient of a convolution's filter as one product per example of its patches with dy, then a sum: examples ×
 * tiles of the filter work at the same time. Call it inside `tidy`.
 */
export function patchProduct(x: Tensor, dy: Tensor, { size, filters, stride, pad }: ConvWindow): Tensor {
  const [count = 0, , , channels = 0] = x.shape;
  const shape = x.shape as [number, number, number, number];
  const info = backend_util.computeConv2DInfo(shape, [size, size, channels, filters], stride, 1, pad);
  const { padInfo, outHeight, outWidth, inHeight, inWidth } = info;
  const { top, bottom, left, right } = padInfo;
  const paddings = [
    [0, 0],
    [top, bottom],
    [left, right],
    [0, 0],
  ];
  const isPadded = top + bottom + left + right > 0;
  const padded = isPadded ? kernel('PadV2', { x }, { paddings, constantValue: 0 }) : x;
  const [height, width] = [inHeight + top + bottom, inWidth + left + right];
  const indices = patchIndices(outHeight, outWidth, width, size, stride);
  const reshape = (tensor: Tensor, ...to: number[]) => kernel('Reshape', { x: tensor }, { shape: to });
  const gathered = kernel(
    'GatherV2',
    {
      x: reshape(padded, count, height * width, channels),
      indices: engine().makeTensor(indices, [indices.length], 'int32') as Tensor,
    },
    { axis: 1, batchDims: 0 },
  );
  const a = reshape(gathered, count, outHeight * outWidth, size * size * channels);
  const b = reshape(dy, count, outHeight * outWidth, filters);
  const parts = kernel('BatchMatMul', { a, b }, { transposeA: true, transposeB: false });
  const sum = kernel('Sum', { x: parts }, { axis: [0], keepDims: false });
  return reshape(sum, size, size, channels, filters);
}

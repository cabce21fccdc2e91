import { backend_util, type KernelFunc, type TensorInfo } from '@tensorflow/tfjs-core';
import type { ConvAttrs } from './convolution.ts';
import { numbersOf, type WasmBackend } from './heap.ts';

/* Gradients that tfjs's wasm backend does not have at all. No model here needs them to be fast yet. */

type Four = [number, number, number, number];

/** Calls back for each pair of a pixel and a tap of the filter that meet in a depthwise convolution. */
function eachMeeting(info: backend_util.Conv2DInfo, visit: (pixel: number, tap: number, result: number) => void): void {
  const { inHeight, inWidth, inChannels, outChannels, padInfo } = info;
  for (let n = 0; n < info.batchSize; n++) {
    for (let y = 0; y < info.outHeight; y++) {
      for (let x = 0; x < info.outWidth; x++) {
        const result = ((n * info.outHeight + y) * info.outWidth + x) * outChannels;
        for (let i = 0; i < info.filterHeight; i++) {
          const row = y * info.strideHeight - padInfo.top + i * info.dilationHeight;
          if (row < 0 || row >= inHeight) continue;
          for (let j = 0; j < info.filterWidth; j++) {
            const col = x * info.strideWidth - padInfo.left + j * info.dilationWidth;
            if (col < 0 || col >= inWidth) continue;
            visit(
              ((n * inHeight + row) * inWidth + col) * inChannels,
              (i * info.filterWidth + j) * outChannels,
              result,
            );
          }
        }
      }
    }
  }
}

const depthwiseInfo = (x: number[], filter: number[], attrs: ConvAttrs) => {
  const { strides, pad, dilations = 1, dimRoundingMode } = attrs;
  return backend_util.computeConv2DInfo(x as Four, filter as Four, strides, dilations, pad, dimRoundingMode, true);
};

/** The gradient of a depthwise convolution's filter. */
export const depthwiseFilterGradient: KernelFunc = ({ inputs, backend: given, attrs }) => {
  const backend = given as WasmBackend;
  const { x, dy } = inputs as { readonly x: TensorInfo; readonly dy: TensorInfo };
  const { filterShape, ...rest } = attrs as unknown as ConvAttrs & { readonly filterShape: number[] };
  const info = depthwiseInfo(x.shape, filterShape, rest);
  const out = backend.makeOutput(filterShape, 'float32');
  const [pixels, errors, sums] = [numbersOf(backend, x), numbersOf(backend, dy), numbersOf(backend, out)];
  const perChannel = info.outChannels / info.inChannels;
  sums.fill(0);
  eachMeeting(info, (pixel, tap, result) => {
    for (let f = 0; f < info.outChannels; f++) {
      const value = pixels[pixel + Math.floor(f / perChannel)] as number;
      sums[tap + f] = (sums[tap + f] as number) + value * (errors[result + f] as number);
    }
  });
  return out;
};

/** The gradient of a depthwise convolution's input. */
export const depthwiseInputGradient: KernelFunc = ({ inputs, backend: given, attrs }) => {
  const backend = given as WasmBackend;
  const { dy, filter } = inputs as { readonly dy: TensorInfo; readonly filter: TensorInfo };
  const { inputShape, ...rest } = attrs as unknown as ConvAttrs & { readonly inputShape: number[] };
  const info = depthwiseInfo(inputShape, filter.shape, rest);
  const out = backend.makeOutput(inputShape, 'float32');
  const [weights, errors, sums] = [numbersOf(backend, filter), numbersOf(backend, dy), numbersOf(backend, out)];
  const perChannel = info.outChannels / info.inChannels;
  sums.fill(0);
  eachMeeting(info, (pixel, tap, result) => {
    for (let f = 0; f < info.outChannels; f++) {
      const at = pixel + Math.floor(f / perChannel);
      sums[at] = (sums[at] as number) + (weights[tap + f] as number) * (errors[result + f] as number);
    }
  });
  return out;
};

/** The sum of x's slices for each segment; ids outside the segments are left out. The gradient of an embedding. */
export const segmentSum: KernelFunc = ({ inputs, backend: given, attrs }) => {
  const backend = given as WasmBackend;
  const { x, segmentIds } = inputs as { readonly x: TensorInfo; readonly segmentIds: TensorInfo };
  const { numSegments } = attrs as unknown as { readonly numSegments: number };
  const rest = x.shape.slice(segmentIds.shape.length);
  const size = rest.reduce((a, b) => a * b, 1);
  const out = backend.makeOutput([numSegments, ...rest], 'float32');
  const [values, sums] = [numbersOf(backend, x), numbersOf(backend, out)];
  const start = backend.dataIdMap.get(segmentIds.dataId).memoryOffset >>> 2;
  const ids = backend.wasm.HEAP32.subarray(start, start + segmentIds.shape.reduce((a, b) => a * b, 1));
  sums.fill(0);
  for (const [index, id] of ids.entries()) {
    if (id < 0 || id >= numSegments) continue;
    for (let i = 0; i < size; i++) {
      sums[id * size + i] = (sums[id * size + i] as number) + (values[index * size + i] as number);
    }
  }
  return out;
};

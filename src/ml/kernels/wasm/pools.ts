import { backend_util, type KernelFunc, type TensorInfo } from '@tensorflow/tfjs-core';
import { addressOf, heapOf, numbersOf, type WasmBackend } from './heap.ts';

interface PoolAttrs {
  readonly filterSize: [number, number] | number;
  readonly strides: [number, number] | number;
  readonly pad: 'valid' | 'same' | number;
  readonly dimRoundingMode?: 'floor' | 'round' | 'ceil';
}
type Info = backend_util.Conv2DInfo;

const poolInfo = (x: TensorInfo, { filterSize, strides, pad, dimRoundingMode }: PoolAttrs): Info =>
  backend_util.computePool2DInfo(
    [...x.shape] as [number, number, number, number],
    filterSize,
    strides,
    1,
    pad,
    dimRoundingMode,
  );

/** Where each window's pixels inside the image start in the input, and its result in the output. */
function eachWindow(
  info: Info,
  visit: (at: number, top: number, bottom: number, left: number, right: number, image: number) => void,
): void {
  const { inHeight, inWidth, inChannels, padInfo } = info;
  let at = 0;
  for (let n = 0; n < info.batchSize; n++) {
    for (let y = 0; y < info.outHeight; y++) {
      const top = y * info.strideHeight - padInfo.top;
      for (let x = 0; x < info.outWidth; x++) {
        const left = x * info.strideWidth - padInfo.left;
        visit(
          at,
          Math.max(0, top),
          Math.min(inHeight, top + info.filterHeight),
          Math.max(0, left),
          Math.min(inWidth, left + info.filterWidth),
          n * inHeight * inWidth * inChannels,
        );
        at += inChannels;
      }
    }
  }
}

/** Windows side by side without gaps or padding: whole rows of the result are written once, then repeated. */
function spreadEvenly(info: Info, from: Float32Array, to: Float32Array, share: number): void {
  const { inHeight, inWidth, inChannels, outWidth, outHeight, filterWidth, filterHeight } = info;
  const rowSize = inWidth * inChannels;
  for (let n = 0, source = 0; n < info.batchSize; n++) {
    const image = n * inHeight * rowSize;
    for (let y = 0; y < outHeight; y++) {
      const row = image + y * filterHeight * rowSize;
      let at = row;
      for (let x = 0; x < outWidth; x++, source += inChannels) {
        for (let repeat = 0; repeat < filterWidth; repeat++) {
          for (let c = 0; c < inChannels; c++) to[at++] = (from[source + c] as number) * share;
        }
      }
      to.fill(0, at, row + rowSize);
      for (let repeat = 1; repeat < filterHeight; repeat++) to.copyWithin(row + repeat * rowSize, row, row + rowSize);
    }
    to.fill(0, image + outHeight * filterHeight * rowSize, image + inHeight * rowSize);
  }
}

/** Gives each pixel its share of its windows' gradients. */
export const avgPoolGradient: KernelFunc = ({ inputs, backend: given, attrs }) => {
  const backend = given as WasmBackend;
  const { dy, input } = inputs as { readonly dy: TensorInfo; readonly input: TensorInfo };
  const info = poolInfo(input, attrs as unknown as PoolAttrs);
  const out = backend.makeOutput(input.shape, 'float32');
  const [from, to] = [numbersOf(backend, dy), numbersOf(backend, out)];
  const { inChannels, inWidth, padInfo } = info;
  const share = 1 / (info.filterHeight * info.filterWidth);
  const isEven = info.strideHeight === info.filterHeight && info.strideWidth === info.filterWidth;
  if (isEven && padInfo.top + padInfo.bottom + padInfo.left + padInfo.right === 0) {
    spreadEvenly(info, from, to, share);
    return out;
  }
  to.fill(0);
  eachWindow(info, (at, top, bottom, left, right, image) => {
    for (let y = top; y < bottom; y++) {
      for (let pixel = left; pixel < right; pixel++) {
        const start = image + (y * inWidth + pixel) * inChannels;
        for (let c = 0; c < inChannels; c++) {
          to[start + c] = (to[start + c] as number) + (from[at + c] as number) * share;
        }
      }
    }
  });
  return out;
};

/** Gives each window's gradient to its largest pixel, the first of equals. */
export const maxPoolGradient: KernelFunc = ({ inputs, backend: given, attrs }) => {
  const backend = given as WasmBackend;
  const { dy, input, output } = inputs as Record<'dy' | 'input' | 'output', TensorInfo>;
  const info = poolInfo(input, attrs as unknown as PoolAttrs);
  const out = backend.makeOutput(input.shape, 'float32');
  const { tiles } = heapOf(backend);
  const { inChannels, inWidth } = info;
  const [x, y, error, to] = [input, output, dy, out].map((tensor) => addressOf(backend, tensor)) as [
    number,
    number,
    number,
    number,
  ];
  numbersOf(backend, out).fill(0);
  eachWindow(info, (at, top, bottom, left, right, image) => {
    const corner = 4 * (image + (top * inWidth + left) * inChannels);
    tiles.giveToLargest({
      x: x + corner,
      dx: to + corner,
      y: y + 4 * at,
      dy: error + 4 * at,
      rows: bottom - top,
      cols: right - left,
      rowBytes: 4 * inWidth * inChannels,
      channels: inChannels,
    });
  });
  return out;
};

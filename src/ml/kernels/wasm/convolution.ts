import { backend_util, type KernelFunc, type TensorInfo } from '@tensorflow/tfjs-core';
import { correlate, filterGradient, type Images, type Window, widened } from './correlation.ts';
import { addressOf, heapOf, type WasmBackend, zeroEnded } from './heap.ts';

type Info = backend_util.Conv2DInfo;
type Four = [number, number, number, number];

/** What tfjs gives to each of its convolution kernels. */
export interface ConvAttrs {
  readonly strides: [number, number] | number;
  readonly pad: 'valid' | 'same' | number | backend_util.ExplicitPadding;
  readonly dilations?: [number, number] | number;
  readonly dimRoundingMode?: 'floor' | 'round' | 'ceil';
  readonly dataFormat?: string;
}

/** The geometry of a convolution, or null if it is not one of images with channels last. */
export function convInfo(x: readonly number[], filter: readonly number[], attrs: ConvAttrs): Info | null {
  const { strides, pad, dilations = 1, dimRoundingMode, dataFormat = 'NHWC' } = attrs;
  if (dataFormat !== 'NHWC') return null;
  return backend_util.computeConv2DInfo([...x] as Four, [...filter] as Four, strides, dilations, pad, dimRoundingMode);
}

const windowOf = (info: Info): Window => ({
  height: info.filterHeight,
  width: info.filterWidth,
  strideY: info.strideHeight,
  strideX: info.strideWidth,
  dilationY: info.dilationHeight,
  dilationX: info.dilationWidth,
  top: info.padInfo.top,
  left: info.padInfo.left,
});

const inputOf = (info: Info, address: number): Images => ({
  address,
  count: info.batchSize,
  height: info.inHeight,
  width: info.inWidth,
  channels: info.inChannels,
});

const outputOf = (info: Info, address: number): Images => ({
  address,
  count: info.batchSize,
  height: info.outHeight,
  width: info.outWidth,
  channels: info.outChannels,
});

/** x ∗ filter + bias, with relu if asked for. */
export function convForward(
  backend: WasmBackend,
  info: Info,
  x: TensorInfo,
  filter: TensorInfo,
  bias: TensorInfo | null,
  isRelu: boolean,
): TensorInfo {
  const out = backend.makeOutput(info.outShape, 'float32');
  const window = windowOf(info);
  const source = widened(backend, inputOf(info, addressOf(backend, x)), window, info.outWidth);
  const [filterAt, biasAt] = [zeroEnded(backend, 'filter', filter), zeroEnded(backend, 'bias', bias)];
  const target = outputOf(info, addressOf(backend, out));
  correlate(backend, source, { ...window, left: 0 }, filterAt, target, biasAt, isRelu);
  return out;
}

/** The gradient of the filter. */
export const convFilterGradient: KernelFunc = ({ inputs, backend: given, attrs }) => {
  const backend = given as WasmBackend;
  const { x, dy } = inputs as { readonly x: TensorInfo; readonly dy: TensorInfo };
  const { filterShape, ...rest } = attrs as unknown as ConvAttrs & { readonly filterShape: number[] };
  const info = convInfo(x.shape, filterShape, rest);
  if (info === null) throw new Error('the filter gradient on wasm needs channels last (NHWC)');
  const out = backend.makeOutput(filterShape, 'float32');
  const window = windowOf(info);
  const source = widened(backend, inputOf(info, addressOf(backend, x)), window, info.outWidth);
  const dyImages = outputOf(info, addressOf(backend, dy));
  filterGradient(heapOf(backend), backend.wasm.HEAPF32, source, window, dyImages, addressOf(backend, out));
  return out;
};

/** The gradient of the input: dy, spread out by the strides, correlated with the filter turned by 180°. */
export const convInputGradient: KernelFunc = ({ inputs, backend: given, attrs }) => {
  const backend = given as WasmBackend;
  const { dy, filter } = inputs as { readonly dy: TensorInfo; readonly filter: TensorInfo };
  const { inputShape, ...rest } = attrs as unknown as ConvAttrs & { readonly inputShape: number[] };
  const info = convInfo(inputShape, filter.shape, rest);
  if (info === null) throw new Error('the input gradient on wasm needs channels last (NHWC)');
  const out = backend.makeOutput(inputShape, 'float32');
  const turned = turnedFilter(backend, info, addressOf(backend, filter));
  const forward = windowOf(info);
  const window: Window = {
    ...forward,
    strideY: 1,
    strideX: 1,
    top: (forward.height - 1) * forward.dilationY - forward.top,
    left: (forward.width - 1) * forward.dilationX - forward.left,
  };
  const spread = widened(
    backend,
    outputOf(info, addressOf(backend, dy)),
    window,
    info.inWidth,
    forward.strideY - 1,
    forward.strideX - 1,
  );
  correlate(backend, spread, { ...window, left: 0 }, turned, inputOf(info, addressOf(backend, out)));
  return out;
};

/** [i, j, c, f] becomes [−i, −j, f, c], in scratch memory. */
function turnedFilter(backend: WasmBackend, info: Info, filter: number): number {
  const { inChannels, outChannels } = info;
  const taps = info.filterHeight * info.filterWidth;
  const size = inChannels * outChannels;
  const to = heapOf(backend).scratch('filter', 4 * taps * size + 16);
  const heap = backend.wasm.HEAPF32;
  heap.fill(0, (to >>> 2) + taps * size, (to >>> 2) + taps * size + 4);
  for (let tap = 0; tap < taps; tap++) {
    const [source, target] = [(filter >>> 2) + tap * size, (to >>> 2) + (taps - 1 - tap) * size];
    for (let f = 0; f < outChannels; f++) {
      for (let c = 0; c < inChannels; c++) {
        heap[target + f * inChannels + c] = heap[source + c * outChannels + f] as number;
      }
    }
  }
  return to;
}

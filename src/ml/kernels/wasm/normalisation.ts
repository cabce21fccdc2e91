import type { KernelFunc, TensorInfo } from '@tensorflow/tfjs-core';
import { addressOf, heapOf, numbersOf, type WasmBackend } from './heap.ts';

interface LrnAttrs {
  readonly depthRadius: number;
  readonly bias: number;
  readonly alpha: number;
  readonly beta: number;
}

type Inputs = { readonly x: TensorInfo; readonly y?: TensorInfo; readonly dy?: TensorInfo };

/** Four channels at a time, where that can be: false if it cannot. AlexNet's ¾ needs square roots only. */
function isDoneByFours(backend: WasmBackend, { x, y, dy }: Inputs, out: TensorInfo, attrs: LrnAttrs): boolean {
  const { depthRadius, bias, alpha, beta } = attrs;
  const channels = x.shape[3] ?? 1;
  const pixels = x.shape.reduce((a, b) => a * b, 1) / channels;
  if (beta !== 0.75 || channels % 4 !== 0 || depthRadius < 1 || pixels < 1) return false;
  const { tiles, scratch } = heapOf(backend);
  const size = channels + 2 * depthRadius;
  const constants = scratch('result', 4 * (2 * size + 4));
  const heap = backend.wasm.HEAPF32;
  heap.fill(0, constants >>> 2, (constants >>> 2) + 2 * size + 4);
  heap.set([alpha, bias, 2 * alpha * beta], constants >>> 2);
  const squares = constants + 16;
  const at = (info: TensorInfo | undefined) => (info === undefined ? 0 : addressOf(backend, info));
  const place = { squares, terms: squares + 4 * size, constants, pixels, channels, radius: depthRadius };
  tiles.normalise({ x: at(x), y: at(y), dy: at(dy), out: at(out), ...place }, dy !== undefined);
  return true;
}

/** Fills `sums` with the sum of `terms` over the channels up to `radius` away; adds and drops one at a time. */
function windowSums(terms: Float64Array, radius: number, sums: Float64Array): void {
  const { length } = terms;
  let sum = 0;
  for (let i = 0; i < Math.min(radius, length); i++) sum += terms[i] as number;
  for (let c = 0; c < length; c++) {
    if (c + radius < length) sum += terms[c + radius] as number;
    if (c - radius - 1 >= 0) sum -= terms[c - radius - 1] as number;
    sums[c] = sum;
  }
}

/** Local response normalisation over the channels. */
export const localNormalisation: KernelFunc = ({ inputs, backend: given, attrs }) => {
  const backend = given as WasmBackend;
  const { x } = inputs as { readonly x: TensorInfo };
  const { depthRadius, bias, alpha, beta } = attrs as unknown as LrnAttrs;
  const out = backend.makeOutput(x.shape, 'float32');
  if (isDoneByFours(backend, { x }, out, { depthRadius, bias, alpha, beta })) return out;
  const [from, to] = [numbersOf(backend, x), numbersOf(backend, out)];
  const channels = x.shape[3] ?? 1;
  const [squares, sums] = [new Float64Array(channels), new Float64Array(channels)];
  for (let start = 0; start < from.length; start += channels) {
    for (let c = 0; c < channels; c++) squares[c] = (from[start + c] as number) ** 2;
    windowSums(squares, depthRadius, sums);
    for (let c = 0; c < channels; c++) {
      to[start + c] = (from[start + c] as number) * (bias + alpha * (sums[c] as number)) ** -beta;
    }
  }
  return out;
};

/** dx = dy · s^−β − 2αβ · x · Σ over the neighbours of dy · y / s, where s is what x was divided by, to the power 1/β. */
export const localNormalisationGradient: KernelFunc = ({ inputs, backend: given, attrs }) => {
  const backend = given as WasmBackend;
  const { x, y, dy } = inputs as { readonly x: TensorInfo; readonly y: TensorInfo; readonly dy: TensorInfo };
  const { depthRadius, bias, alpha, beta } = attrs as unknown as LrnAttrs;
  const out = backend.makeOutput(x.shape, 'float32');
  if (isDoneByFours(backend, { x, y, dy }, out, { depthRadius, bias, alpha, beta })) return out;
  const [from, outputs, errors, to] = [x, y, dy, out].map((info) => numbersOf(backend, info)) as [
    Float32Array,
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const channels = x.shape[3] ?? 1;
  const [terms, sums, shares] = [new Float64Array(channels), new Float64Array(channels), new Float64Array(channels)];
  for (let start = 0; start < from.length; start += channels) {
    for (let c = 0; c < channels; c++) terms[c] = (from[start + c] as number) ** 2;
    windowSums(terms, depthRadius, sums);
    for (let c = 0; c < channels; c++) {
      const norm = bias + alpha * (sums[c] as number);
      const error = errors[start + c] as number;
      to[start + c] = error * norm ** -beta;
      terms[c] = (error * (outputs[start + c] as number)) / norm;
    }
    windowSums(terms, depthRadius, shares);
    for (let c = 0; c < channels; c++) {
      const at = start + c;
      to[at] = (to[at] as number) - 2 * alpha * beta * (from[at] as number) * (shares[c] as number);
    }
  }
  return out;
};

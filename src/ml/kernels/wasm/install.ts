import {
  backend as currentBackend,
  getKernel,
  type KernelFunc,
  registerKernel,
  type TensorInfo,
  unregisterKernel,
} from '@tensorflow/tfjs-core';
import { type ConvAttrs, convFilterGradient, convForward, convInfo, convInputGradient } from './convolution.ts';
import { addressOf, heapOf, numbersOf, openHeap, type WasmBackend, zeroEnded } from './heap.ts';
import { columnSums, product } from './matrices.ts';
import { depthwiseFilterGradient, depthwiseInputGradient, segmentSum } from './missing.ts';
import { COLUMN_SUMS, RELU_GRADIENT } from './names.ts';
import { localNormalisation, localNormalisationGradient } from './normalisation.ts';
import { avgPoolGradient, maxPoolGradient } from './pools.ts';

type Replaced = (args: Parameters<KernelFunc>[0], stock: KernelFunc) => ReturnType<KernelFunc>;
interface Fused {
  readonly activation?: string | null;
}
const isPlain = ({ activation }: Fused) => [undefined, null, 'linear', 'relu'].includes(activation);

const conv2d: Replaced = (args, stock) => {
  const { x, filter } = args.inputs as { readonly x: TensorInfo; readonly filter: TensorInfo };
  const info = convInfo(x.shape, filter.shape, args.attrs as unknown as ConvAttrs);
  if (info === null) return stock(args);
  return convForward(args.backend as WasmBackend, info, x, filter, null, false);
};

const fusedConv2d: Replaced = (args, stock) => {
  const { x, filter, bias } = args.inputs as { x: TensorInfo; filter: TensorInfo; bias?: TensorInfo };
  const attrs = args.attrs as unknown as ConvAttrs & Fused;
  const info = convInfo(x.shape, filter.shape, attrs);
  if (info === null || !isPlain(attrs)) return stock(args);
  return convForward(args.backend as WasmBackend, info, x, filter, bias ?? null, attrs.activation === 'relu');
};

const matMul: Replaced = (args, stock) => {
  const { a, b, bias } = args.inputs as { a: TensorInfo; b: TensorInfo; bias?: TensorInfo };
  const attrs = args.attrs as unknown as Fused & { readonly transposeA?: boolean; readonly transposeB?: boolean };
  const { transposeA = false, transposeB = false } = attrs;
  const [countA, rowsA = 0, colsA = 0] = [a.shape.slice(0, -2).reduce((x, y) => x * y, 1), ...a.shape.slice(-2)];
  const [countB, rowsB = 0, colsB = 0] = [b.shape.slice(0, -2).reduce((x, y) => x * y, 1), ...b.shape.slice(-2)];
  const isSimple = a.dtype === 'float32' && b.dtype === 'float32' && countA === countB && isPlain(attrs);
  if (!isSimple || (bias !== undefined && bias.shape.at(-1) !== bias.shape.reduce((x, y) => x * y, 1))) {
    return stock(args);
  }
  const backend = args.backend as WasmBackend;
  const [rows, cols] = [transposeA ? colsA : rowsA, transposeB ? rowsB : colsB];
  const longer = a.shape.length >= b.shape.length ? a : b;
  const out = backend.makeOutput([...longer.shape.slice(0, -2), rows, cols], 'float32');
  const biasAt = zeroEnded(backend, 'bias', bias ?? null);
  for (let i = 0; i < countA; i++) {
    const left = { address: addressOf(backend, a) + 4 * i * rowsA * colsA, rows: rowsA, cols: colsA };
    const right = { address: addressOf(backend, b) + 4 * i * rowsB * colsB, rows: rowsB, cols: colsB };
    const to = addressOf(backend, out) + 4 * i * rows * cols;
    product(backend, left, right, transposeA, transposeB, to, biasAt, attrs.activation === 'relu');
  }
  return out;
};

const reluGradient: KernelFunc = ({ inputs, backend: given }) => {
  const backend = given as WasmBackend;
  const { y, dy } = inputs as { readonly y: TensorInfo; readonly dy: TensorInfo };
  const out = backend.makeOutput(y.shape, 'float32');
  heapOf(backend).tiles.mask(
    addressOf(backend, y),
    addressOf(backend, dy),
    addressOf(backend, out),
    numbersOf(backend, out).length,
  );
  return out;
};

const replaced: Record<string, Replaced> = {
  Conv2D: conv2d,
  FusedConv2D: fusedConv2d,
  BatchMatMul: matMul,
  _FusedMatMul: matMul,
};
const own: Record<string, KernelFunc> = {
  Conv2DBackpropFilter: convFilterGradient,
  Conv2DBackpropInput: convInputGradient,
  LRN: localNormalisation,
  LRNGrad: localNormalisationGradient,
  AvgPoolGrad: avgPoolGradient,
  MaxPoolGrad: maxPoolGradient,
  DepthwiseConv2dNativeBackpropFilter: depthwiseFilterGradient,
  DepthwiseConv2dNativeBackpropInput: depthwiseInputGradient,
  UnsortedSegmentSum: segmentSum,
  [RELU_GRADIENT]: reluGradient,
  [COLUMN_SUMS]: ({ inputs, backend }) => columnSums(backend as WasmBackend, inputs.x as TensorInfo),
};

/** Makes this kernel the one for wasm, whether tfjs has one or not. */
function put(kernelName: string, kernelFunc: KernelFunc): void {
  if (getKernel(kernelName, 'wasm') !== undefined) unregisterKernel(kernelName, 'wasm');
  registerKernel({ kernelName, backendName: 'wasm', kernelFunc });
}

let isInstalled = false;

/** Teaches tfjs's wasm backend, which must be the current one, to train: adds what it lacks, replaces what is slow. */
export async function installKernels(): Promise<void> {
  await openHeap(currentBackend() as WasmBackend);
  if (isInstalled) return;
  isInstalled = true;
  for (const [name, func] of Object.entries(own)) put(name, func);
  for (const [name, func] of Object.entries(replaced)) {
    const stock = getKernel(name, 'wasm')?.kernelFunc;
    if (stock !== undefined) put(name, (args) => func(args, stock));
  }
}

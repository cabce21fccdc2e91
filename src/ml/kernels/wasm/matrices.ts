import type { TensorInfo } from '@tensorflow/tfjs-core';
import { addressOf, heapOf, type WasmBackend } from './heap.ts';

/** A row-major matrix of float32, at a byte address. */
interface Matrix {
  readonly address: number;
  readonly rows: number;
  readonly cols: number;
}

/** Rows of the right side are used up in blocks of this size: all rows of the left meet a block while it is cached. */
const BLOCK_BYTES = 512 << 10;

function transposed(backend: WasmBackend, { address, rows, cols }: Matrix, to: number): Matrix {
  const heap = backend.wasm.HEAPF32;
  const [from, start] = [address >>> 2, to >>> 2];
  // In blocks, so that both sides stay in the cache.
  const BLOCK = 16;
  for (let top = 0; top < rows; top += BLOCK) {
    const bottom = Math.min(rows, top + BLOCK);
    for (let col = 0; col < cols; col++) {
      for (let row = top; row < bottom; row++) heap[start + col * rows + row] = heap[from + row * cols + col] as number;
    }
  }
  return { address: to, rows: cols, cols: rows };
}

/** c = a · b, or aᵀ · b if `isATransposed`, plus the bias in each row. */
function multiply(
  backend: WasmBackend,
  a: Matrix,
  isATransposed: boolean,
  b: Matrix,
  c: number,
  bias: number,
  isRelu: boolean,
): void {
  const { tiles } = heapOf(backend);
  const [aRow, aK] = isATransposed ? [4, 4 * a.cols] : [4 * a.cols, 4];
  const rows = isATransposed ? a.cols : a.rows;
  const block = Math.max(8, Math.floor(BLOCK_BYTES / (4 * b.cols)));
  for (let k = 0; k < b.rows; k += block) {
    const isLast = k + block >= b.rows;
    tiles.multiply({
      a: a.address + k * aK,
      aRow,
      aK,
      b: b.address + 4 * k * b.cols,
      bK: 4 * b.cols,
      c,
      cRow: 4 * b.cols,
      rows,
      cols: b.cols,
      k: isLast ? b.rows - k : block,
      bias,
      isAdded: k > 0,
      isRelu: isRelu && isLast,
    });
  }
}

/** One matrix product, either side transposed; the larger of the two sides is never copied. */
export function product(
  backend: WasmBackend,
  a: Matrix,
  b: Matrix,
  isATransposed: boolean,
  isBTransposed: boolean,
  c: number,
  bias = 0,
  isRelu = false,
): void {
  if (!isBTransposed) return multiply(backend, a, isATransposed, b, c, bias, isRelu);
  const { scratch } = heapOf(backend);
  const rows = isATransposed ? a.cols : a.rows;
  const mustCopyA = isATransposed ? 0 : a.rows * a.cols;
  if (bias !== 0 || isRelu || mustCopyA + rows * b.rows >= b.rows * b.cols) {
    const right = transposed(backend, b, scratch('filter', 4 * b.rows * b.cols + 16));
    return multiply(backend, a, isATransposed, right, c, bias, isRelu);
  }
  // cᵀ = b · aᵀ
  const result = scratch('result', 4 * rows * b.rows + 16);
  const source = isATransposed ? 0 : scratch('source', 4 * a.rows * a.cols + 16);
  const right = isATransposed ? a : transposed(backend, a, source);
  multiply(backend, b, false, right, result, 0, false);
  transposed(backend, { address: result, rows: b.rows, cols: rows }, c);
}

/** Sums over all dimensions but the last. */
export function columnSums(backend: WasmBackend, x: TensorInfo): TensorInfo {
  const cols = x.shape.at(-1) ?? 1;
  const rows = x.shape.slice(0, -1).reduce((a, b) => a * b, 1);
  const out = backend.makeOutput([cols], 'float32');
  const { tiles, one } = heapOf(backend);
  // One row of ones: a step of 0 finds the same 1 each time.
  const left = { a: one, aRow: 4, aK: 0, rows: 1, k: rows };
  tiles.multiply({ ...left, b: addressOf(backend, x), bK: 4 * cols, c: addressOf(backend, out), cRow: 4 * cols, cols });
  return out;
}

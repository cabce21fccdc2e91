import type { TensorInfo } from '@tensorflow/tfjs-core';
import { addressOf, heapOf, type WasmBackend } from './heap.ts';

/** A row-major matrix of float32, at a byte address. */
interface Matrix {
  readonly address: number;
  readonly rows: number;
  readonly cols: number;
}

/** A right side larger than this is packed 8 columns at a time, if there are rows enough to make up for it. */
const PANEL_FROM_BYTES = 64 << 10;
const PANEL_FROM_ROWS = 12;

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
  const { tiles, scratch } = heapOf(backend);
  const rows = isATransposed ? a.cols : a.rows;
  const left = {
    a: a.address,
    aRow: isATransposed ? 4 : 4 * a.cols,
    aK: isATransposed ? 4 * a.cols : 4,
    cRow: 4 * b.cols,
    rows,
    k: b.rows,
    isRelu,
  };
  if (4 * b.rows * b.cols <= PANEL_FROM_BYTES || rows < PANEL_FROM_ROWS || isATransposed) {
    tiles.multiply({ ...left, b: b.address, bK: 4 * b.cols, c, cols: b.cols, bias });
    return;
  }
  const panel = scratch('panel', 32 * b.rows);
  for (let col = 0; col < b.cols; col += 8) {
    tiles.pack(b.address + 4 * col, panel, 4 * b.cols, b.rows);
    const cols = Math.min(8, b.cols - col);
    tiles.multiply({ ...left, b: panel, bK: 32, c: c + 4 * col, cols, bias: bias === 0 ? 0 : bias + 4 * col });
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

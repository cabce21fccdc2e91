import type { KernelBackend, TensorInfo } from '@tensorflow/tfjs-core';
import { compileTiles, type Tiles } from './tiles.ts';

/** The parts of tfjs's wasm backend that kernels written here use. */
export interface WasmBackend extends KernelBackend {
  readonly wasm: {
    readonly asm: { readonly memory: WebAssembly.Memory; malloc(bytes: number): number };
    /** Replaced when the memory grows: never keep it over an allocation. */
    readonly HEAPF32: Float32Array;
    readonly HEAP32: Int32Array;
    _malloc: (bytes: number) => number;
    _free(address: number): void;
  };
  readonly dataIdMap: { get(dataId: object): { readonly memoryOffset: number } };
  makeOutput(shape: number[], dtype: 'float32'): TensorInfo;
}

/** What a kernel may use beside its inputs: products over the backend's memory, and scratch space. */
export interface Heap {
  readonly tiles: Tiles;
  /** At least this many bytes, kept until the next call with the same slot; may move tensors' views. */
  scratch(slot: 'source' | 'filter' | 'panel' | 'result' | 'bias', bytes: number): number;
  /** Address of the number 1. */
  readonly one: number;
}

const heaps = new WeakMap<object, Heap>();

/** Prepares the backend's memory for kernels; call it once before any of them runs. */
export async function openHeap(backend: WasmBackend): Promise<void> {
  if (heaps.has(backend)) return;
  const { wasm } = backend;
  const tiles = await compileTiles(wasm.asm.memory);
  const slots = new Map<string, { address: number; bytes: number }>();
  const allocate = (bytes: number) => {
    const address = wasm.asm.malloc(bytes) >>> 0;
    if (address === 0 && bytes > 0) throw new RangeError(`out of memory: WebAssembly has no ${bytes} bytes left`);
    return address;
  };
  // tfjs takes address 0, which means that there was no memory, for a tensor's place.
  wasm._malloc = allocate;
  const one = allocate(4);
  wasm.HEAPF32[one >>> 2] = 1;
  heaps.set(backend, {
    tiles,
    one,
    scratch(slot, bytes) {
      const kept = slots.get(slot);
      if (kept !== undefined && kept.bytes >= bytes) return kept.address;
      if (kept !== undefined) wasm._free(kept.address);
      slots.delete(slot);
      const address = allocate(bytes);
      slots.set(slot, { address, bytes });
      return address;
    },
  });
}

/** The heap of a backend that was opened. */
export function heapOf(backend: WasmBackend): Heap {
  const heap = heaps.get(backend);
  if (heap === undefined) throw new Error('a kernel of the wasm backend ran before its heap was opened');
  return heap;
}

/** Where a tensor's numbers start, in bytes. */
export const addressOf = (backend: WasmBackend, { dataId }: TensorInfo): number =>
  backend.dataIdMap.get(dataId).memoryOffset;

/**
 * A bias or a filter where products may read four numbers at a time. What lies behind it in memory must be zeros: tiny
 * numbers there (integers look like them) make a multiplication a hundred times slower, though nobody uses its result.
 */
export function zeroEnded(backend: WasmBackend, slot: 'bias' | 'filter', info: TensorInfo | null): number {
  if (info === null) return 0;
  const address = addressOf(backend, info);
  if ((info.shape.at(-1) ?? 0) % 4 === 0) return address;
  const count = info.shape.reduce((a, b) => a * b, 1);
  const to = heapOf(backend).scratch(slot, 4 * count + 16);
  const heap = backend.wasm.HEAPF32;
  heap.copyWithin(to >>> 2, address >>> 2, (address >>> 2) + count);
  heap.fill(0, (to >>> 2) + count, (to >>> 2) + count + 4);
  return to;
}

/** A tensor's numbers in place; valid until the next allocation. */
export function numbersOf(backend: WasmBackend, info: TensorInfo): Float32Array {
  const start = addressOf(backend, info) >>> 2;
  return backend.wasm.HEAPF32.subarray(start, start + info.shape.reduce((a, b) => a * b, 1));
}

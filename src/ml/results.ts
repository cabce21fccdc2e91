import { concat, backend as currentBackend, getBackend, type Tensor, tidy } from '@tensorflow/tfjs-core';
import { kernel } from './kernels/kernel.ts';
import { numbersOf, type WasmBackend } from './kernels/wasm/heap.ts';

/** `separate`: one read per tensor. `joined`: all in one tensor first, one read. Devices differ in what they prefer. */
export type ReadStrategy = 'separate' | 'joined';

export const readKernels = ['Concat', 'Reshape'];

/** The first tensor's numbers, and those of all others in one array of their own. */
export interface Results {
  readonly head: Float32Array;
  readonly rest: Float32Array<ArrayBuffer>;
}

/** Copies numbers off the device. `onFirst` is called when the first come: the computing is done then. */
export async function readAll(
  [head, ...others]: readonly [Tensor, ...Tensor[]],
  strategy: ReadStrategy,
  onFirst: () => void,
): Promise<Results> {
  const rest = new Float32Array(others.reduce((sum, tensor) => sum + tensor.size, 0));
  const offsets = others.map((_, index) => others.slice(0, index).reduce((sum, tensor) => sum + tensor.size, 0));
  if (getBackend() === 'wasm') {
    onFirst();
    const backend = currentBackend() as WasmBackend;
    for (const [index, tensor] of others.entries()) rest.set(numbersOf(backend, tensor), offsets[index]);
    return { head: numbersOf(backend, head).slice(), rest };
  }
  if (strategy === 'joined') {
    const joined = tidy(() => {
      const flat = [head, ...others].map((x) => kernel('Reshape', { x }, { shape: [x.size] }));
      return concat(flat, 0);
    });
    const values = await joined.data<'float32'>().finally(() => joined.dispose());
    onFirst();
    rest.set(values.subarray(head.size));
    return { head: values.subarray(0, head.size), rest };
  }
  // All reads are asked for before any is awaited, so that a GPU gets its commands in one go.
  const first = head.data<'float32'>().finally(onFirst);
  const reads = others.map(async (tensor, index) => rest.set(await tensor.data<'float32'>(), offsets[index]));
  const [values] = await Promise.all([first, ...reads]);
  return { head: values, rest };
}

import { engine, type NamedAttrMap, type NamedTensorMap, type Tensor } from '@tensorflow/tfjs-core';

/** One kernel that ran: enough to run it again while its inputs live. */
export interface KernelCall {
  readonly name: string;
  readonly inputs: NamedTensorMap;
  readonly attrs: NamedAttrMap;
  readonly output: Tensor;
}

let watcher: ((call: KernelCall) => void) | null = null;

/** Tells of every kernel that `run` runs, but not of those that a kernel is made of. */
export function watchKernels<Result>(run: () => Result, onCall: (call: KernelCall) => void): Result {
  watcher = onCall;
  try {
    return run();
  } finally {
    watcher = null;
  }
}

/**
 * Runs one kernel of the current backend: no tape, no conversions, no checks of shapes. Call it inside `tidy`.
 * Whoever calls it lists the name in what a model needs, so that a backend without it is not chosen.
 */
export function kernel(name: string, inputs: NamedTensorMap, attrs: NamedAttrMap = {}): Tensor {
  if (watcher === null) return engine().runKernel<Tensor>(name, inputs, attrs);
  const onCall = watcher;
  watcher = null;
  const output = engine().runKernel<Tensor>(name, inputs, attrs);
  watcher = onCall;
  onCall({ name, inputs, attrs, output });
  return output;
}

/** A tensor over these values. They may be read until it is disposed: give values that stay as they are. */
export const tensorOf = (values: Float32Array, shape: readonly number[]): Tensor =>
  engine().makeTensor(values, [...shape], 'float32') as Tensor;

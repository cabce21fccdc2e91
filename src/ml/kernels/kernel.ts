import { engine, type NamedAttrMap, type NamedTensorMap, type Tensor } from '@tensorflow/tfjs-core';

/**
 * Runs one kernel of the current backend: no tape, no conversions, no checks of shapes. Call it inside `tidy`.
 * Whoever calls it lists the name in what a model needs, so that a backend without it is not chosen.
 */
export const kernel = (name: string, inputs: NamedTensorMap, attrs: NamedAttrMap = {}): Tensor =>
  engine().runKernel<Tensor>(name, inputs, attrs);

/** A tensor over these values. They may be read until it is disposed: give values that stay as they are. */
export const tensorOf = (values: Float32Array, shape: readonly number[]): Tensor =>
  engine().makeTensor(values, [...shape], 'float32') as Tensor;

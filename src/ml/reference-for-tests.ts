import { rng } from '../core/math/rng.ts';
import { type DataSpec, dataSpecs } from '../models/data.ts';
import { elements } from '../models/layer.ts';

/** MNIST's shape with few random examples. */
export interface Sample {
  readonly data: DataSpec;
  readonly images: Uint8Array;
  readonly labels: Uint8Array;
}

/** Random pixels, most of them zero as in MNIST, and random labels. */
export function sample(count: number, seed: number): Sample {
  const data = dataSpecs.mnist;
  const random = rng(seed, 'sample');
  const pixel = () => (random.uniform() < 0.8 ? 0 : random.below(256));
  return {
    data,
    images: Uint8Array.from({ length: count * elements(data.input) }, pixel),
    labels: Uint8Array.from({ length: count }, () => random.below(data.classes)),
  };
}

/** Normal random numbers, small enough that no class is certain. */
export function randomParams(size: number, seed: number): Float32Array {
  const random = rng(seed, 'params');
  return Float32Array.from({ length: size }, () => random.normal() * 0.05);
}

/** Softmax regression in double precision, written as in a textbook. */
export function softmaxReference(params: Float32Array, { data, images, labels }: Sample, indices: Iterable<number>) {
  const size = elements(data.input);
  const { classes } = data;
  const rows = [...indices];
  const gradient = new Float64Array(params.length);
  let loss = 0;
  let correct = 0;
  for (const row of rows) {
    const x = Array.from(images.subarray(row * size, (row + 1) * size), (pixel) => pixel / 255);
    const logits = Array.from({ length: classes }, (_, c) =>
      x.reduce((sum, value, i) => sum + value * (params[i * classes + c] ?? 0), params[size * classes + c] ?? 0),
    );
    const top = Math.max(...logits);
    const exps = logits.map((logit) => Math.exp(logit - top));
    const total = exps.reduce((a, b) => a + b, 0);
    const label = labels[row] ?? 0;
    loss -= Math.log((exps[label] ?? 0) / total) / rows.length;
    if (logits.indexOf(top) === label) correct++;
    for (let c = 0; c < classes; c++) {
      const error = ((exps[c] ?? 0) / total - (c === label ? 1 : 0)) / rows.length;
      for (let i = 0; i < size; i++) gradient[i * classes + c] = (gradient[i * classes + c] ?? 0) + error * (x[i] ?? 0);
      gradient[size * classes + c] = (gradient[size * classes + c] ?? 0) + error;
    }
  }
  return { gradient, loss, accuracy: correct / rows.length };
}

/** The mean loss of the network with one hidden layer of 128, in double precision. */
export function mlpLossReference(params: Float64Array, { data, images, labels }: Sample, indices: Iterable<number>) {
  const size = elements(data.input);
  const dense = (x: readonly number[], offset: number, units: number) =>
    Array.from({ length: units }, (_, unit) => {
      let sum = params[offset + x.length * units + unit] ?? 0;
      for (const [i, value] of x.entries()) sum += value * (params[offset + i * units + unit] ?? 0);
      return sum;
    });
  const losses = Array.from(indices, (row) => {
    const x = Array.from(images.subarray(row * size, (row + 1) * size), (pixel) => pixel / 255);
    const hidden = dense(x, 0, 128).map((value) => Math.max(0, value));
    const logits = dense(hidden, (size + 1) * 128, data.classes);
    return Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0)) - (logits[labels[row] ?? 0] ?? 0);
  });
  return losses.reduce((a, b) => a + b, 0) / losses.length;
}

/** The largest difference as a share of the largest number: gradients near zero are not worth their rounding. */
export function relativeDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return Number.POSITIVE_INFINITY;
  let difference = 0;
  let largest = 0;
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] ?? Number.NaN, b[i] ?? Number.NaN];
    // Math.max keeps NaN, so a NaN anywhere fails the test.
    difference = Math.max(difference, Math.abs(x - y));
    largest = Math.max(largest, Math.abs(y));
  }
  return difference / largest;
}

import { gather, type SparseLogistic } from '../core/sparse/logistic.ts';

interface Keys {
  readonly keys: Uint32Array;
  readonly count: number;
}

/** The keys, rising, and that of the bias at their end. */
export function keysWithBias({ keys, count }: Keys, bias: number): Uint32Array<ArrayBuffer> {
  const all = new Uint32Array(count + 1);
  all.set(keys.subarray(0, count));
  all[count] = bias;
  return all;
}

/** The parameters at the keys, and the bias at their end. */
export function valuesWithBias(params: Float32Array, { keys, count }: Keys, bias: number): Float32Array<ArrayBuffer> {
  const values = new Float32Array(count + 1);
  gather(params, keys, count, values);
  values[count] = params[bias] as number;
  return values;
}

/** The gradient of the last step at the keys and the bias; of all `size` parameters unless that is null. */
export function gradientWithBias(
  logistic: SparseLogistic,
  { keys, count }: Keys,
  size: number | null,
): Float32Array<ArrayBuffer> {
  const gradient = new Float32Array(size ?? count + 1);
  if (size === null) gradient.set(logistic.gradient.subarray(0, count));
  else for (let i = 0; i < count; i++) gradient[keys[i] as number] = logistic.gradient[i] as number;
  gradient[gradient.length - 1] = logistic.biasGradient;
  return gradient;
}

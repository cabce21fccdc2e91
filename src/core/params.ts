import { rng } from './rng.ts';
import type { Schema } from './schema.ts';

/** Fresh parameters for a schema; the same seed gives the same numbers on every machine. */
export function initialParams(schema: Schema, seed: number): Float32Array {
  const params = new Float32Array(schema.size);
  for (const { name, offset, size, init } of schema.tensors) {
    if (init.kind === 'zeros') continue;
    const random = rng(seed, 'init', name);
    const bound = Math.sqrt(6 / init.fan);
    for (let i = offset; i < offset + size; i++) params[i] = (2 * random.uniform() - 1) * bound;
  }
  return params;
}

/** Gradients beyond this are a fault or an attack, not learning; they never reach the parameters. */
export const GRADIENT_BOUND = 1e6;

/** True if every number is finite and within ±bound. */
export function isBounded(values: Float32Array, bound = GRADIENT_BOUND): boolean {
  for (let i = 0; i < values.length; i++) {
    // Written so that NaN, which compares false to everything, fails.
    if (!(Math.abs(values[i] as number) <= bound)) return false;
  }
  return true;
}

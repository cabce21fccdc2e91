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

/** The Euclidean norm, in one pass, or null if any number is not finite or beyond ±bound. */
export function boundedNorm(values: Float32Array, bound = GRADIENT_BOUND): number | null {
  const limit = bound * bound;
  const whole = values.length - (values.length % 4);
  let sum = 0;
  for (let i = 0; i < whole; i += 4) {
    const a = values[i] as number;
    const b = values[i + 1] as number;
    const c = values[i + 2] as number;
    const d = values[i + 3] as number;
    const squares = a * a + b * b + (c * c + d * d);
    // Four squares within the limit together are so alone: as a rule one comparison does for all. NaN fails it.
    if (!(squares <= limit) && !(Math.max(Math.abs(a), Math.abs(b), Math.abs(c), Math.abs(d)) <= bound)) return null;
    sum += squares;
  }
  for (let i = whole; i < values.length; i++) {
    const value = values[i] as number;
    if (!(Math.abs(value) <= bound)) return null;
    sum += value * value;
  }
  return Math.sqrt(sum);
}

import type { Aggregate } from './aggregate.ts';

/**
 * An aggregate that needs all gradients of the round at once; `combine` overwrites `out`, which still has the result of the last round.
 * Gradients count alike, whatever their weight: a liar would claim many examples.
 */
export function held(
  size: number,
  combine: (gradients: readonly Float32Array[], out: Float32Array) => void,
): Aggregate {
  const gradients: Float32Array[] = [];
  const gradient = { values: new Float32Array(size), keys: null };
  return {
    add({ values }) {
      gradients.push(values);
    },
    finish() {
      combine(gradients, gradient.values);
      return { gradient, scale: 1 };
    },
    clear() {
      gradients.length = 0;
    },
  };
}

/** The most liars among so many that can be outvoted. */
export const minority = (count: number): number => Math.floor((count - 1) / 2);

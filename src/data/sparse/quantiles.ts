/** A distribution is this many pieces of equal probability, uniform within each: drawing is a look-up. */
const PIECE_BITS = 10;
export const PIECES = 1 << PIECE_BITS;
const WITHIN_BITS = 32 - PIECE_BITS;
const WITHIN_MASK = 2 ** WITHIN_BITS - 1;

/** The borders of the pieces, as float32: engines differ in the last digit of a power. */
export type Quantiles = Float32Array<ArrayBuffer>;

const quantilesOf = (at: (share: number) => number): Quantiles =>
  Float32Array.from({ length: PIECES + 1 }, (_, piece) => at(piece / PIECES));

/** Ranks below `size` with frequency (1 + rank)^−exponent, by the inverse of the law's continuous form. */
export function zipfQuantiles(size: number, exponent: number): Quantiles {
  const power = 1 - exponent;
  return quantilesOf((share) => Math.min(size, (1 + share * ((size + 1) ** power - 1)) ** (1 / power) - 1));
}

/** Counts around a median, log-logistic with `spread`, as `toValue` of each. */
export function countQuantiles(median: number, spread: number, toValue: (count: number) => number): Quantiles {
  return quantilesOf((share) => {
    const odds = Math.max(share, 1 / PIECES) / Math.max(1 - share, 1 / PIECES);
    return toValue(Math.floor(median * odds ** spread));
  });
}

/** The value that an evenly drawn 32-bit word stands for, in the distribution whose quantiles start at `start`. */
export function valueAt(quantiles: Quantiles, start: number, word: number): number {
  const piece = start + (word >>> WITHIN_BITS);
  const low = quantiles[piece] as number;
  return low + ((word & WITHIN_MASK) / 2 ** WITHIN_BITS) * ((quantiles[piece + 1] as number) - low);
}

export function momentsOf(values: ArrayLike<number>): { mean: number; spread: number } {
  let [sum, squares] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    sum += value;
    squares += value * value;
  }
  const mean = sum / values.length;
  return { mean, spread: Math.sqrt(squares / values.length - mean * mean) };
}

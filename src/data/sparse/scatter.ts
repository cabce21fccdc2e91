/** A fixed order of the numbers 0 … size − 1 in which neighbours are far apart; exact while size is at most 2^26. */
export interface Scatter {
  /** Place of a number = number × factor mod size. */
  readonly factor: number;
  /** Number at a place = place × inverse mod size. */
  readonly inverse: number;
}

export function scatterOf(size: number): Scatter {
  let factor = Math.max(1, Math.floor(size * 0.6180339887));
  for (; ; factor--) {
    // Extended Euclid: x × factor ≡ divisor (mod size) throughout.
    let [divisor, rest, x, nextX] = [factor, size, 1, 0];
    while (rest !== 0) {
      const quotient = Math.floor(divisor / rest);
      [divisor, rest] = [rest, divisor - quotient * rest];
      [x, nextX] = [nextX, x - quotient * nextX];
    }
    if (divisor === 1) return { factor, inverse: ((x % size) + size) % size };
  }
}

/** a × b mod size for whole numbers whose product is below 2^53; far faster than `%` on such products. */
export function timesModulo(a: number, b: number, size: number): number {
  const product = a * b;
  return product - Math.floor(product / size) * size;
}

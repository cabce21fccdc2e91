/** A seeded stream of random numbers (sfc32). The same keys always give the same stream. */
export interface Rng {
  /** An integer in [0, 2^32). */
  uint32(): number;
  /** A number in [0, 1). */
  uniform(): number;
  /** An integer in [0, bound). */
  below(bound: number): number;
  /** A standard normal number. */
  normal(): number;
}

/** A stream named by its keys, e.g. `rng(seed, 'shuffle', epoch)`: streams with different keys are independent. */
export function rng(...keys: readonly (number | string)[]): Rng {
  let [a, b, c] = [0x9e3779b9, 0x243f6a88, 0xb7e15162];
  for (const char of keys.join('\u0000')) {
    const code = char.codePointAt(0) as number;
    a = Math.imul(a ^ code, 0x85ebca6b);
    b = Math.imul(b ^ code ^ (a >>> 15), 0xc2b2ae35);
    c = Math.imul(c ^ code ^ (b >>> 13), 0x27d4eb2f);
  }
  let counter = 1;
  const uint32 = () => {
    const result = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + result;
    return result >>> 0;
  };
  for (let i = 0; i < 12; i++) uint32();
  const uniform = () => uint32() / 2 ** 32;
  return {
    uint32,
    uniform,
    below: (bound) => Math.floor(uniform() * bound),
    // Box–Muller; 1 − uniform() is never 0, so the logarithm is finite.
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
  };
}

/** The numbers 0 … count − 1 in a random order (Fisher–Yates). */
export function permutation(count: number, random: Rng): Uint32Array {
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    const j = random.below(i + 1);
    order[i] = order[j] as number;
    order[j] = i;
  }
  return order;
}

/** A well-mixed 32-bit hash of a 32-bit number (a bijection), as a signed integer. */
export function mix32(word: number): number {
  let x = word ^ (word >>> 16);
  x = Math.imul(x, 0x21f0aaad);
  x ^= x >>> 15;
  x = Math.imul(x, 0x735a2d97);
  return x ^ (x >>> 15);
}

/*
 * Half precision: 1 bit of sign, 5 of exponent, 10 of fraction; all exponent bits set means not finite.
 * Done with integers and tables, since engines without Float16Array have no other fast way.
 */

/** Bits of the largest half, 65504, without its sign. */
const LARGEST = 0x7bff;

/**
 * By the upper 9 bits of a float32 (sign, exponent): what a half starts from << 5 | how far the fraction moves right.
 * The fraction comes with its leading 1, which adds the last 1 to the exponent.
 */
const roundings = Int32Array.from({ length: 512 }, (_, signAndExponent) => {
  const sign = (signAndExponent & 0x100) << 7;
  const exponent = signAndExponent & 0xff;
  // A shift by 31 leaves nothing of the fraction.
  if (exponent === 255) return ((sign | 0x7fff) << 5) | 31;
  if (exponent >= 143) return ((sign | LARGEST) << 5) | 31;
  if (exponent >= 113) return ((sign | ((exponent - 113) << 10)) << 5) | 13;
  // Below the normal halves the unit stays 2^-24 while the fraction shrinks; 25 already rounds everything to zero.
  return (sign << 5) | Math.min(126 - exponent, 25);
});

/**
 * The half nearest to a float32 given by its bits, ties to even. Finite numbers beyond ±65504 become that;
 * what is not finite becomes NaN.
 */
export function halfOf(floatBits: number): number {
  const rounding = roundings[floatBits >>> 23] as number;
  const shift = rounding & 31;
  const fraction = (floatBits & 0x7fffff) | 0x800000;
  const half = (rounding >> 5) + ((fraction + (1 << (shift - 1)) - 1 + ((fraction >> shift) & 1)) >> shift);
  // Only rounding up from below 65536 gives exactly these bits.
  return (half & 0x7fff) === LARGEST + 1 ? half - 1 : half;
}

function numberOf(half: number): number {
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  const sign = half & 0x8000 ? -1 : 1;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

let values: Float32Array | null = null;

/** The number of each of the 65,536 halves; made on first use. */
export function halfValues(): Float32Array {
  values ??= Float32Array.from({ length: 65_536 }, (_, half) => numberOf(half));
  return values;
}

import type { Codec } from './codec.ts';

/*
 * Per block of 256 numbers (the last may be shorter), little-endian:
 *   4 bytes   float32  scale
 *   1 byte    int8     number ÷ scale, of each number
 */
const BLOCK = 256;
const BLOCK_BYTES = 4 + BLOCK;

/** A little below 127: a scale rounded to float32 then never takes the block's largest number past 127. */
const LEVELS = 126.9999;
/** Smaller scales would lose digits as float32. */
const SMALLEST_SCALE = 2 ** -126;
/** 128 times this is still finite as float32. */
const LARGEST_SCALE = 2 ** 120;
const MAGNITUDE = 0x7fffffff;

const bytesFor = (count: number) => count + 4 * Math.ceil(count / BLOCK);

/**
 * One byte for each number and one scale for each 256 of them: their largest ÷ 127. Each is rounded up or down at
 * random, right on average to 2^-24 of the scale, and errs by less than the scale. Zeros stay zero. If any number
 * is not finite or is beyond 1.6e38, `decode` refuses the message.
 */
export const int8: Codec = {
  name: 'int8',
  needsFeedback: false,
  bytesFor,
  encode(values, random) {
    const bytes = new Uint8Array(bytesFor(values.length));
    const levels = new Int8Array(bytes.buffer);
    const scales = new DataView(bytes.buffer);
    const bits = new Int32Array(values.buffer, values.byteOffset, values.length);
    // Signed, so that counting from it stays integer arithmetic.
    const seed = random.uint32() | 0;
    for (let from = 0, at = 0; from < values.length; from += BLOCK, at += BLOCK_BYTES) {
      const to = Math.min(from + BLOCK, values.length);
      const largest = largestOf(bits, from, to);
      if (largest === 0) continue;
      const scale = Math.fround(Math.max(largest / LEVELS, SMALLEST_SCALE));
      scales.setFloat32(at, scale, true);
      roundBlock(values, from, to, scale, levels, at + 4, seed);
    }
    return bytes;
  },
  decode(bytes, into) {
    const count = into.length;
    if (bytes.length !== bytesFor(count)) {
      throw new RangeError(`expected ${bytesFor(count)} bytes of int8, got ${bytes.length}`);
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let from = 0, at = 0; from < count; from += BLOCK, at += BLOCK_BYTES) {
      const scale = view.getFloat32(at, true);
      if (!(scale >= 0 && scale <= LARGEST_SCALE)) {
        throw new RangeError(`expected int8 scales from 0 to 2^120, got ${scale}`);
      }
      scaleBlock(view, at + 4, scale, into, from, Math.min(from + BLOCK, count));
    }
    return into;
  },
};

const oneFloat = new Float32Array(1);
const bitsOfOne = new Int32Array(oneFloat.buffer);

/** As integers, magnitudes sort as they do as floats, with infinity and then NaN above all. */
function largestOf(bits: Int32Array, from: number, to: number): number {
  let largest = 0;
  let i = from;
  for (; i + 4 <= to; i += 4) {
    const a = (bits[i] as number) & MAGNITUDE;
    const b = (bits[i + 1] as number) & MAGNITUDE;
    const c = (bits[i + 2] as number) & MAGNITUDE;
    const d = (bits[i + 3] as number) & MAGNITUDE;
    if (a > largest) largest = a;
    if (b > largest) largest = b;
    if (c > largest) largest = c;
    if (d > largest) largest = d;
  }
  for (; i < to; i++) largest = Math.max(largest, (bits[i] as number) & MAGNITUDE);
  bitsOfOne[0] = largest;
  return oneFloat[0] as number;
}

/** 32 bits that look random, from a counter alone, so that no draw waits for the one before. */
function noiseAt(counter: number): number {
  const mixed = Math.imul(counter ^ (counter >>> 16), 0x21f0aaad);
  return Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
}

/** y, given as y · 2^24, plus noise in [0, 1), rounded down: so up with a chance of the fraction of y. */
const rounded = (scaledUp: number, noise: number) => ((scaledUp | 0) + (noise >>> 8)) >> 24;

function roundBlock(
  values: Float32Array,
  from: number,
  to: number,
  scale: number,
  levels: Int8Array,
  at: number,
  seed: number,
): void {
  const factor = 2 ** 24 / scale;
  const shift = at - from;
  let i = from;
  for (; i + 4 <= to; i += 4) {
    // Turned by half, the same 32 bits serve a second number: their upper halves have nothing in common.
    const one = noiseAt((seed + i) | 0);
    const two = noiseAt((seed + i + 2) | 0);
    levels[shift + i] = rounded((values[i] as number) * factor, one);
    levels[shift + i + 1] = rounded((values[i + 1] as number) * factor, (one << 16) | (one >>> 16));
    levels[shift + i + 2] = rounded((values[i + 2] as number) * factor, two);
    levels[shift + i + 3] = rounded((values[i + 3] as number) * factor, (two << 16) | (two >>> 16));
  }
  for (; i < to; i++) levels[shift + i] = rounded((values[i] as number) * factor, noiseAt((seed + i) | 0));
}

function scaleBlock(view: DataView, at: number, scale: number, into: Float32Array, from: number, to: number): void {
  let i = from;
  let p = at;
  // Words of four bytes, at any offset: twice as fast as an Int8Array.
  for (; i + 8 <= to; i += 8, p += 8) {
    const a = view.getInt32(p, true);
    const b = view.getInt32(p + 4, true);
    into[i] = scale * ((a << 24) >> 24);
    into[i + 1] = scale * ((a << 16) >> 24);
    into[i + 2] = scale * ((a << 8) >> 24);
    into[i + 3] = scale * (a >> 24);
    into[i + 4] = scale * ((b << 24) >> 24);
    into[i + 5] = scale * ((b << 16) >> 24);
    into[i + 6] = scale * ((b << 8) >> 24);
    into[i + 7] = scale * (b >> 24);
  }
  for (; i < to; i++, p++) into[i] = scale * view.getInt8(p);
}

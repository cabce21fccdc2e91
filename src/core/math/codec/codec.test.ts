import { describe, expect, it } from 'vitest';
import { type Rng, rng } from '../rng.ts';
import { type Codec, codecNamed } from './codec.ts';
import { topk } from './topk.ts';

const float32 = codecNamed('float32', 1);
const float16 = codecNamed('float16', 1);
const int8 = codecNamed('int8', 1);
const shares = [1, 0.3, 0.01];
const checked: readonly Codec[] = [float16, int8, ...shares.map(topk)];
const all: readonly Codec[] = [float32, ...checked];
const seeds = [1, 2, 3, 4, 5, 6];

const sizeOf = (random: Rng) => (random.below(3) === 0 ? 1 + random.below(12) : 1 + random.below(3000));

/** Numbers of many sizes, with runs of zeros and repeated ones, as gradients have. */
function gradient(count: number, random: Rng): Float32Array {
  const values = new Float32Array(count);
  let i = 0;
  while (i < count) {
    const size = 10 ** (3 - random.below(12));
    const kind = random.below(5);
    for (const to = Math.min(count, i + 1 + random.below(600)); i < to; i++) {
      values[i] = kind === 0 ? 0 : kind === 1 ? size * Math.sign(random.normal()) : size * random.normal();
    }
  }
  return values;
}

const roundTrip = (codec: Codec, values: Float32Array, random: Rng) =>
  codec.decode(codec.encode(values, random), new Float32Array(values.length).fill(Number.NaN));

/** Where two long arrays first differ, as words; comparing them whole makes a failure take minutes to print. */
function firstDifference(got: Float32Array, expected: Float32Array): string {
  const i = got.findIndex((value, at) => !Object.is(value, expected[at]));
  return i < 0 && got.length === expected.length ? 'none' : `at ${i}: expected ${expected[i]}, got ${got[i]}`;
}

const largestOf = (values: Float32Array) => values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);

/** The same bytes at another offset, between bytes that must not matter. */
function movedBy(offset: number, bytes: Uint8Array): Uint8Array {
  const moved = new Uint8Array(bytes.length + offset + 5).fill(255).subarray(offset, offset + bytes.length);
  moved.set(bytes);
  return moved;
}

/** Decodes anything: null if it was refused in the one way that is allowed. */
function decodeAnything(codec: Codec, bytes: Uint8Array, count: number): Float32Array | null {
  try {
    return codec.decode(bytes, new Float32Array(count));
  } catch (error) {
    expect(error).toBeInstanceOf(RangeError);
    return null;
  }
}

describe('every codec', () => {
  it('says its bytes beforehand', () => {
    for (const count of [0, 1, 255, 256, 257, 61_706]) {
      const blocks = Math.ceil(count / 256);
      expect(float32.bytesFor(count)).toBe(4 * count);
      expect(float16.bytesFor(count)).toBe(2 * count);
      expect(int8.bytesFor(count)).toBe(count + 4 * blocks);
      for (const share of shares) {
        const sent = count === 0 ? 0 : Math.max(1, Math.ceil(share * count));
        expect(topk(share).bytesFor(count)).toBe(4 + 6 * sent);
      }
    }
  });

  for (const seed of seeds) {
    it(`fills exactly those bytes in a buffer of its own and leaves the values alone, seed ${seed}`, () => {
      const random = rng(seed, 'bytes');
      for (const codec of all) {
        for (const count of [0, 1, sizeOf(random), sizeOf(random)]) {
          const values = gradient(count, random);
          const before = values.slice();
          const bytes = codec.encode(values, random);
          expect([bytes.length, bytes.buffer.byteLength]).toEqual([codec.bytesFor(count), codec.bytesFor(count)]);
          expect(bytes.buffer).not.toBe(values.buffer);
          expect(values).toEqual(before);
        }
      }
    });

    it(`reads bytes at any offset, and values within a larger array, seed ${seed}`, () => {
      const random = rng(seed, 'offsets');
      for (const codec of all) {
        const count = sizeOf(random);
        const values = gradient(count + 3, random).subarray(3);
        const bytes = codec.encode(values, rng(seed));
        expect(codec.encode(values.slice(), rng(seed))).toEqual(bytes);
        const decoded = codec.decode(bytes, new Float32Array(count)).slice();
        for (const offset of [1, 2, 3, 4]) {
          const into = new Float32Array(count + 2);
          expect(codec.decode(movedBy(offset, bytes), into.subarray(1, count + 1))).toEqual(decoded);
          expect([into[0], into[count + 1]]).toEqual([0, 0]);
        }
      }
    });

    it(`refuses other lengths, and garbage with a RangeError or gives finite numbers, seed ${seed}`, () => {
      const random = rng(seed, 'garbage');
      for (const codec of checked) {
        const outcomes = Array.from({ length: 60 }, (_, turn) => {
          const count = 1 + random.below(600);
          const bytes = codec.encode(gradient(count, random), random);
          // Whole garbage, or a sound message with a few bytes changed.
          for (let i = 0; i < (turn % 2 ? bytes.length : 3); i++) {
            bytes[turn % 2 ? i : random.below(bytes.length)] = random.below(256);
          }
          const decoded = decodeAnything(codec, movedBy(random.below(4), bytes), count);
          if (decoded) expect(decoded.every(Number.isFinite)).toBe(true);
          return decoded !== null;
        });
        expect(outcomes).toContain(false);
      }
      for (const codec of all) {
        const count = 1 + random.below(600);
        const length = codec.bytesFor(count);
        for (const wrong of [0, length - 1, length + 1, 2 * length]) {
          expect(decodeAnything(codec, new Uint8Array(wrong), count)).toBeNull();
        }
      }
    });
  }

  it('keeps zeros zero, and gives zeros for a message of zeros', () => {
    for (const codec of all) {
      for (const zeros of [new Float32Array(700), new Float32Array(700).fill(-0)]) {
        expect(roundTrip(codec, zeros, rng(1)).every((value) => value === 0)).toBe(true);
      }
      const some = new Float32Array(700);
      some[3] = 1;
      expect(
        roundTrip(codec, some, rng(1)).every((value, i) => (i === 3 ? Math.abs(value - 1) < 1e-5 : value === 0)),
      ).toBe(true);
    }
  });

  it('never makes a finite number of one that is not', () => {
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      for (const at of [0, 255, 256, 299]) {
        const values = gradient(300, rng(5));
        values[at] = bad;
        for (const codec of checked) expect(() => roundTrip(codec, values, rng(1))).toThrow(RangeError);
        expect(roundTrip(float32, values, rng(1))).toEqual(values);
      }
    }
  });
});

describe('float32', () => {
  it('is exact, and decodes aligned bytes without copying', () => {
    const values = Float32Array.of(0, -0, 1e-45, -3.4e38, 0.1, Number.NaN, Number.NEGATIVE_INFINITY);
    const bytes = float32.encode(values, rng(1));
    const into = new Float32Array(values.length);
    const decoded = float32.decode(bytes, into);
    expect(decoded).toEqual(values);
    expect(decoded.buffer).toBe(bytes.buffer);
  });
});

describe('float16', () => {
  /** Every finite half that is not negative, ascending, written down from the definition of the format. */
  const halves = Float32Array.from({ length: 0x7c00 }, (_, half) =>
    half < 1024 ? half * 2 ** -24 : (1 + (half & 1023) / 1024) * 2 ** ((half >> 10) - 15),
  );

  it('gives every half back to the bit', () => {
    for (const sign of [1, -1]) {
      const values = halves.map((value) => sign * value);
      expect(firstDifference(roundTrip(float16, values, rng(1)), values)).toBe('none');
    }
  });

  it('rounds to nearest, ties to even, just below and above each tie', () => {
    const ties: number[] = [];
    const expected: number[] = [];
    const bits = new Int32Array(1);
    const float = new Float32Array(bits.buffer);
    for (let half = 0; half + 1 < halves.length; half++) {
      const [low, high] = [halves[half] as number, halves[half + 1] as number];
      float[0] = (low + high) / 2;
      ties.push(float[0], -float[0]);
      expected.push(half % 2 ? high : low, half % 2 ? -high : -low);
      bits[0] = (bits[0] as number) + 1;
      ties.push(float[0]);
      expected.push(high);
      bits[0] = (bits[0] as number) - 2;
      ties.push(float[0]);
      expected.push(low);
    }
    const rounded = roundTrip(float16, Float32Array.from(ties), rng(1));
    expect(firstDifference(rounded, Float32Array.from(expected))).toBe('none');
  });

  it('takes numbers beyond 65504 as that', () => {
    const values = Float32Array.of(65_504, 65_519, 65_520, 65_535.9, 65_536, 3.4e38, -65_520, -1e30);
    const largest = [65_504, 65_504, 65_504, 65_504, 65_504, 65_504, -65_504, -65_504];
    expect([...roundTrip(float16, values, rng(1))]).toEqual(largest);
  });
});

describe('int8', () => {
  for (const seed of seeds) {
    it(`errs by less than the largest of 256 ÷ 126.9, seed ${seed}`, () => {
      const random = rng(seed, 'error');
      const values = gradient(sizeOf(random), random);
      const decoded = roundTrip(int8, values, random);
      for (let from = 0; from < values.length; from += 256) {
        const scale = largestOf(values.subarray(from, from + 256)) / 126.9;
        for (let i = from; i < Math.min(from + 256, values.length); i++) {
          const error = Math.abs((decoded[i] as number) - (values[i] as number));
          expect(error === 0 || error < scale).toBe(true);
        }
      }
    });

    it(`is right on average, each number apart from its neighbours, seed ${seed}`, () => {
      const random = rng(seed, 'average');
      const [count, turns] = [259, 3000];
      const values = Float32Array.from({ length: count }, () => 2 * random.uniform() - 1);
      // Known scales: 1 ÷ 127 in the whole block and in the rest.
      values[7] = values[257] = 1;
      const sums = new Float64Array(count);
      let neighbours = 0;
      for (let turn = 0; turn < turns; turn++) {
        const decoded = roundTrip(int8, values, random);
        for (let i = 0; i < count; i++) {
          const error = 127 * ((decoded[i] as number) - (values[i] as number));
          sums[i] = (sums[i] as number) + error;
          if (i > 0) neighbours += error * 127 * ((decoded[i - 1] as number) - (values[i - 1] as number));
        }
      }
      // In units of the scale an error has a deviation of at most 1/2; the product of two, of at most 1/4.
      for (const sum of sums) expect(Math.abs(sum / turns)).toBeLessThan((5 * 0.5) / Math.sqrt(turns) + 1e-4);
      expect(Math.abs(neighbours / (turns * count))).toBeLessThan((5 * 0.25) / Math.sqrt(turns * count) + 1e-4);
    });
  }

  it('stands the smallest and very large numbers, and refuses larger', () => {
    for (let units = 1; units < 2000; units += 7) {
      const [decoded = 0] = roundTrip(int8, Float32Array.of(units * 2 ** -149, 0), rng(units));
      expect(decoded >= 0 && decoded <= 2 ** -126).toBe(true);
    }
    const huge = Float32Array.of(1.6e38, -1.6e38, 0);
    expect(Math.abs((roundTrip(int8, huge, rng(1))[1] as number) / 1.6e38 + 1)).toBeLessThan(0.01);
    expect(() => roundTrip(int8, Float32Array.of(3e38), rng(1))).toThrow('scale');
  });

  it('never takes the largest number of a block past 127 steps, seed 9', () => {
    const random = rng(9);
    for (let turn = 0; turn < 2000; turn++) {
      const value = Math.fround(random.normal() * 10 ** (random.below(60) - 30));
      const bytes = int8.encode(Float32Array.of(value), random);
      const scale = new DataView(bytes.buffer).getFloat32(0, true);
      expect(Math.abs(value) / scale).toBeLessThanOrEqual(127);
      expect(Math.abs(value) / scale).toBeGreaterThan(126.99);
    }
  });
});

describe('top-k', () => {
  for (const seed of seeds) {
    it(`sends exactly the largest, of equal ones the first, each as a half of the largest, seed ${seed}`, () => {
      const random = rng(seed, 'largest');
      for (const share of [1, 0.5, 0.1, 0.01]) {
        const count = sizeOf(random);
        const values = gradient(count, random);
        const codec = topk(share);
        const order = Array.from(values.keys()).sort(
          (i, j) => Math.abs(values[j] as number) - Math.abs(values[i] as number) || i - j,
        );
        const sent = order.slice(0, Math.max(1, Math.ceil(share * count))).sort((i, j) => i - j);
        const bytes = codec.encode(values, random);
        const largest = largestOf(values);
        expect(new Float32Array(bytes.buffer, 0, 1)[0]).toBe(largest);
        expect([...new Uint32Array(bytes.buffer, 4, sent.length)]).toEqual(sent);
        const decoded = codec.decode(bytes, new Float32Array(count).fill(Number.NaN));
        const isSent = new Set(sent);
        for (const [i, value] of values.entries()) {
          const bound = isSent.has(i) ? Math.max(Math.abs(value) * 2 ** -11, largest * 2 ** -25) * 1.0001 : 0;
          expect(Math.abs((decoded[i] as number) - (isSent.has(i) ? value : 0))).toBeLessThanOrEqual(bound);
        }
      }
    });
  }

  it('refuses places out of range, repeated or descending, and values that are no part of the scale', () => {
    const codec = topk(0.5);
    const message = (change: (view: DataView) => void) => {
      const bytes = codec.encode(Float32Array.of(1, 2, 3, 4, 0, 0, 0, 0), rng(1));
      change(new DataView(bytes.buffer));
      return () => codec.decode(bytes, new Float32Array(8));
    };
    expect([...message(() => {})()]).toEqual([1, 2, 3, 4, 0, 0, 0, 0]);
    expect(message((view) => view.setUint32(16, 8, true))).toThrow('below 8');
    expect(message((view) => view.setUint32(16, 2 ** 32 - 1, true))).toThrow('below 8');
    expect(message((view) => view.setUint32(8, 0, true))).toThrow('ascending');
    expect(message((view) => view.setUint32(4, 2, true))).toThrow('ascending');
    for (const half of [0x7e00, 0x7c00, 0xfc00, 0x3c01, 0xbc01]) {
      expect(message((view) => view.setUint16(20, half, true))).toThrow('parts of the scale');
    }
    for (const scale of [Number.NaN, Number.POSITIVE_INFINITY, -1]) {
      expect(message((view) => view.setFloat32(0, scale, true))).toThrow('scale');
    }
  });

  it('stands the smallest and the largest numbers', () => {
    for (const scale of [1e-45, 1e-40, 3.4e38]) {
      const values = Float32Array.of(scale, -scale, 0, scale);
      expect(roundTrip(topk(1), values, rng(1))).toEqual(values);
    }
  });

  it('refuses a share that is none', () => {
    for (const share of [0, -0.1, 1.01, Number.NaN]) expect(() => topk(share)).toThrow(RangeError);
  });
});

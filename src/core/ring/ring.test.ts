import { describe, expect, test } from 'vitest';
import type { Codec } from '../math/codec/codec.ts';
import { float16 } from '../math/codec/float16.ts';
import { float32 } from '../math/codec/float32.ts';
import { int8 } from '../math/codec/int8.ts';
import { GRADIENT_BOUND } from '../math/params.ts';
import { type Rng, rng } from '../math/rng.ts';
import { checksum } from '../wire/checksum.ts';
import { type Outgoing, RingReduce } from './ring.ts';

const codecs = [float32, float16, int8];
const sizes = [0, 1, 2, 7, 13, 256, 1009];

/** Members with numbers that say nothing about their places. */
const membersOf = (count: number, random: Rng): number[] =>
  Array.from({ length: count }, (_, i) => 100 * i + random.below(100)).sort(() => random.below(3) - 1);

const normals = (size: number, random: Rng): Float32Array => Float32Array.from({ length: size }, () => random.normal());

interface Result {
  readonly rings: readonly RingReduce[];
  readonly vectors: readonly Float32Array[];
  readonly sentBytes: readonly number[];
}

/**
 * Runs a whole ring: who starts when, and which of the messages under way arrives next, is drawn. Messages of one member
 * may overtake each other, as messages of one frame do.
 */
function reduce(members: readonly number[], size: number, codec: Codec, random: Rng): Result {
  const rings = members.map((self) => new RingReduce({ members, self, size, codec, random: rng(random.uint32()) }));
  const vectors = members.map(() => normals(size, random));
  const sentBytes = members.map(() => 0);
  const events: (Outgoing & { rank: number })[] = members.map((_, rank) => ({
    rank,
    step: -1,
    bytes: new Uint8Array(),
  }));
  while (events.length > 0) {
    const [event] = events.splice(random.below(events.length), 1);
    if (event === undefined) break;
    const { rank, step, bytes } = event;
    const ring = rings[rank] as RingReduce;
    const outgoing = step < 0 ? ring.start((vectors[rank] as Float32Array).slice()) : ring.receive(step, bytes);
    for (const message of outgoing) {
      sentBytes[rank] = (sentBytes[rank] as number) + message.bytes.length;
      events.push({ rank: members.indexOf(ring.successor), ...message });
    }
  }
  return { rings, vectors, sentBytes };
}

const hashOf = (sum: Float32Array | null): number | null =>
  sum && checksum(new Uint8Array(sum.buffer, sum.byteOffset, sum.byteLength));

/** How far the sum may be from the exact one: n encodings of partial sums that are at most `largest`. */
function tolerance(codec: Codec, count: number, largest: number): number {
  const perHop = { float32: 2 ** -24, float16: 2 ** -11 + 2 ** -24, int8: 1 / 126.9 }[codec.name as 'float32'];
  return count * (perHop * largest + 2 ** -25);
}

describe.each(codecs)('the ring with $name', (codec) => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'A2: of %i adds up alike at all members, in any order (seeds 1 to 6)',
    (count) => {
      for (const size of sizes) {
        for (let seed = 1; seed <= 6; seed++) {
          const random = rng(seed, 'ring', codec.name, count, size);
          const { rings, vectors, sentBytes } = reduce(membersOf(count, random), size, codec, random);
          expect(rings[0]?.sum).toHaveLength(size);
          expect(new Set(rings.map((ring) => hashOf(ring.sum))).size).toBe(1);

          const exact = Array.from({ length: size }, (_, i) => vectors.reduce((sum, v) => sum + (v[i] as number), 0));
          const largest = vectors.reduce((sum, v) => sum + v.reduce((max, x) => Math.max(max, Math.abs(x)), 0), 0);
          const error = exact.reduce((max, x, i) => Math.max(max, Math.abs(x - (rings[0]?.sum?.[i] as number))), 0);
          expect(error).toBeLessThanOrEqual(count === 1 ? 0 : tolerance(codec, count, largest * 1.1));

          expect(sentBytes).toEqual(rings.map((ring) => ring.bytesToSend));
          const share = (2 * (count - 1)) / count;
          for (const bytes of sentBytes) {
            // Slices are whole numbers, and int8 has a scale for each begun block of a slice.
            expect(Math.abs(bytes - share * codec.bytesFor(size))).toBeLessThanOrEqual(12 * count);
          }
        }
      }
    },
  );
});

test('goes through the members in order and closes', () => {
  const members = [5, 3, 9];
  const ringOf = (self: number) => new RingReduce({ members, self, size: 4, codec: float32, random: rng(1) });
  expect(members.map((self) => [ringOf(self).predecessor, ringOf(self).successor])).toEqual([
    [9, 3],
    [5, 9],
    [3, 5],
  ]);
});

test('alone it is done at once, with its own vector', () => {
  const ring = new RingReduce({ members: [4], self: 4, size: 3, codec: int8, random: rng(1) });
  const vector = Float32Array.of(1, 2, 3);
  expect([ring.bytesToSend, ring.successor, ring.predecessor, ring.sum]).toEqual([0, 4, 4, null]);
  expect(ring.start(vector)).toEqual([]);
  expect(ring.sum).toBe(vector);
  expect(() => ring.receive(0, new Uint8Array(12))).toThrow(RangeError);
});

test('the sum is in the memory of the vector that was given', () => {
  const [a, b] = [1, 2].map(
    (self) => new RingReduce({ members: [1, 2], self, size: 2, codec: float32, random: rng(1) }),
  ) as [RingReduce, RingReduce];
  const vector = Float32Array.of(1, 2);
  const fromA = a.start(vector);
  const fromB = [...b.start(Float32Array.of(10, 20))];
  for (const { step, bytes } of fromA) fromB.push(...b.receive(step, bytes));
  for (const { step, bytes } of fromB) a.receive(step, bytes);
  expect(a.sum).toBe(vector);
  expect(vector).toEqual(Float32Array.of(11, 22));
});

describe('refuses with a RangeError', () => {
  /** The first of three members, each with 6 numbers: slices of two, 8 bytes. */
  const ring = (): RingReduce =>
    new RingReduce({ members: [1, 2, 3], self: 1, size: 6, codec: float32, random: rng(1) });
  const slice = (...values: number[]): Uint8Array => new Uint8Array(Float32Array.from(values).buffer);
  const started = (): RingReduce => {
    const fresh = ring();
    fresh.start(new Float32Array(6));
    return fresh;
  };

  test.each([-1, 0.5, Number.NaN, 2, 3, 4])('step %d before the start', (step) => {
    expect(() => ring().receive(step, slice(0, 0))).toThrow(RangeError);
  });

  test.each([-1, 3, 4, 2 ** 32])('step %d after it, which the predecessor cannot have reached', (step) => {
    expect(() => started().receive(step, slice(0, 0))).toThrow(RangeError);
  });

  test('a step twice, kept or used', () => {
    const waiting = ring();
    waiting.receive(1, slice(0, 0));
    expect(() => waiting.receive(1, slice(0, 0))).toThrow('step 1 of the ring came, only steps 0 to 1, once each');
    const running = started();
    running.receive(0, slice(0, 0));
    expect(() => running.receive(0, slice(0, 0))).toThrow(RangeError);
  });

  test('anything after the end', () => {
    const done = started();
    for (let step = 0; step < 4; step++) done.receive(step, slice(0, 0));
    expect(done.sum).toEqual(new Float32Array(6));
    expect(() => done.receive(3, slice(0, 0))).toThrow('no more were expected');
  });

  test('another number of bytes, before the start and after it', () => {
    expect(() => ring().receive(0, new Uint8Array(12))).toThrow('expected 8 bytes in step 0 of the ring, got 12');
    expect(() => started().receive(0, new Uint8Array(4))).toThrow(RangeError);
  });

  test.each([Number.NaN, Infinity, -Infinity, 3.1 * GRADIENT_BOUND, -3.1 * GRADIENT_BOUND])(
    'a slice with %d',
    (bad) => {
      expect(() => started().receive(0, slice(0, bad))).toThrow('not finite or beyond ±3000000');
      const gathering = started();
      for (let step = 0; step < 2; step++) gathering.receive(step, slice(0, 0));
      expect(() => gathering.receive(2, slice(bad, 0))).toThrow(RangeError);
      const early = ring();
      early.receive(0, slice(bad, 0));
      expect(() => early.start(new Float32Array(6))).toThrow(RangeError);
    },
  );

  test('but takes what three members may add up to', () => {
    expect(started().receive(0, slice(3 * GRADIENT_BOUND, 0))).toHaveLength(1);
  });

  test('a vector of another size, members that repeat, a stranger, a codec that leaves numbers out', () => {
    expect(() => ring().start(new Float32Array(5))).toThrow(RangeError);
    const make =
      (members: number[], self: number, codec: Codec = float32) =>
      () =>
        new RingReduce({ members, self, size: 1, codec, random: rng(1) });
    expect(make([1, 2, 1], 1)).toThrow(RangeError);
    expect(make([1, 2], 3)).toThrow(RangeError);
    expect(make([1, 2], 1, { ...float32, needsFeedback: true })).toThrow(RangeError);
  });

  test('a second start is an error of this side', () => {
    expect(() => started().start(new Float32Array(6))).toThrow('started before');
  });
});

import { expect, it } from 'vitest';
import { rng } from '../math/rng.ts';
import { decodeKeys, encodeKeys, maxKeyBytes } from './key-coding.ts';

function encoded(keys: Uint32Array): Uint8Array {
  const into = new Uint8Array(maxKeyBytes(keys.length));
  return into.slice(0, encodeKeys(keys, keys.length, into));
}

const randomKeys = (random: ReturnType<typeof rng>, count: number, maxKey: number) =>
  Uint32Array.from(new Set(Array.from({ length: count }, () => Math.floor(random.uniform() * (maxKey + 1))))).sort();

for (const maxKey of [0, 1, 127, 128, 20_000, 33_762_577, 2 ** 32 - 1]) {
  it(`K2: keys up to ${maxKey} come back exactly, seed 5`, () => {
    const random = rng(5, maxKey);
    for (let round = 0; round < 50; round++) {
      const keys = round === 0 ? Uint32Array.of(maxKey) : randomKeys(random, random.below(200), maxKey);
      const into = new Uint32Array(keys.length);
      decodeKeys(encoded(keys), keys.length, maxKey, into);
      expect(into).toEqual(keys);
    }
  });
}

it('neighbouring keys take a byte each, a batch over 33.7 million keys about two, seed 6', () => {
  expect(encoded(Uint32Array.from({ length: 100 }, (_, i) => i)).length).toBe(100);
  const keys = randomKeys(rng(6), 4000, 33_762_577);
  expect(encoded(keys).length / keys.length).toBeLessThan(2.25);
});

it('every cut, every changed byte and every random string is either another list or a RangeError, seed 7', () => {
  const random = rng(7);
  const maxKey = 5000;
  let refused = 0;
  const attempt = (bytes: Uint8Array, count: number) => {
    const into = new Uint32Array(count);
    try {
      decodeKeys(bytes, count, maxKey, into);
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError);
      refused++;
      return;
    }
    // What was accepted has one coding only, rises and is within bounds.
    expect(encoded(into)).toEqual(bytes);
    expect(into.every((key) => key <= maxKey)).toBe(true);
  };
  for (let round = 0; round < 200; round++) {
    const keys = randomKeys(random, 1 + random.below(30), maxKey);
    const bytes = encoded(keys);
    const cut = bytes.slice(0, random.below(bytes.length));
    expect(() => decodeKeys(cut, keys.length, maxKey, new Uint32Array(keys.length))).toThrow(RangeError);
    const changed = bytes.slice();
    changed[random.below(bytes.length)] = random.below(256);
    attempt(changed, keys.length);
    attempt(
      Uint8Array.from({ length: random.below(40) }, () => random.below(256)),
      random.below(20),
    );
    attempt(Uint8Array.of(...bytes, 0), keys.length);
  }
  expect(refused).toBeGreaterThan(300);
});

it('K2, K4: refuses counts and keys that cannot be, and overlong codings', () => {
  const into = new Uint32Array(10);
  expect(() => decodeKeys(Uint8Array.of(0, 0), 3, 100, into)).toThrow(/cannot be in 2 bytes/);
  expect(() => decodeKeys(Uint8Array.of(0, 0, 0), 3, 1, into)).toThrow(RangeError);
  expect(() => decodeKeys(Uint8Array.of(0x80, 0), 1, 100, into)).toThrow(/more bytes than it needs/);
  expect(() => decodeKeys(new Uint8Array(6).fill(255), 1, 2 ** 32 - 1, into)).toThrow(/more than 5 bytes/);
  expect(() => decodeKeys(Uint8Array.of(101), 1, 100, into)).toThrow(/highest may be 100/);
  expect(() => encodeKeys(Uint32Array.of(4, 4), 2, new Uint8Array(10))).toThrow(/must rise/);
});

import { expect, it } from 'vitest';
import { type Rng, rng } from '../math/rng.ts';
import { entriesOf, type SparseBatch, SparseBatchBuilder } from './batch.ts';
import { decodeExamples, encodeExamples, maxExampleBytes } from './example-coding.ts';

const MAX_ENTRIES = 40;

function randomBatch(random: Rng, features: number, isAllOnes: boolean): SparseBatchBuilder {
  const batch = new SparseBatchBuilder(1, 1);
  for (let left = random.below(60); left > 0; left--) {
    for (let entry = random.below(MAX_ENTRIES + 1); entry > 0; entry--) {
      batch.add(random.below(features), isAllOnes || random.below(3) === 0 ? 1 : random.normal());
    }
    batch.end(random.below(2));
  }
  return batch;
}

/** Each example's label and its entries by key, equal keys as they came. */
const plain = (batch: SparseBatch) =>
  Array.from({ length: batch.count }, (_, i) => {
    const [from, to] = [batch.offsets[i] as number, batch.offsets[i + 1] as number];
    const entries = Array.from(
      { length: to - from },
      (_, j) => [batch.keys[from + j], batch.values[from + j]] as const,
    );
    return { label: batch.labels[i], entries: entries.sort(([a = 0], [b = 0]) => a - b) };
  });

const decoded = (bytes: Uint8Array, features: number, examples: number | null = null) => {
  const into = new SparseBatchBuilder(1, 1);
  decodeExamples(bytes, { examples, entriesPerExample: MAX_ENTRIES, features }, into);
  return into;
};

for (const features of [1, 2, 200, 33_762_578, 2 ** 27]) {
  it(`examples over ${features} features come back, labels, entries and all, seed 3`, () => {
    const random = rng(3, features);
    for (let round = 0; round < 100; round++) {
      const batch = randomBatch(random, features, round % 3 === 0);
      const bytes = encodeExamples(batch);
      expect(bytes.length).toBeLessThanOrEqual(maxExampleBytes(batch.count, MAX_ENTRIES));
      const back = decoded(bytes, features, batch.count);
      expect(plain(back)).toEqual(plain(batch));
      expect([...back.offsets.subarray(0, back.count + 1)]).toEqual([...batch.offsets.subarray(0, batch.count + 1)]);
    }
  });
}

it('they are added to what a batch has', () => {
  const [batch, into] = [randomBatch(rng(4), 100, false), randomBatch(rng(5), 100, false)];
  const before = plain(into);
  decodeExamples(encodeExamples(batch), { examples: null, entriesPerExample: MAX_ENTRIES, features: 100 }, into);
  expect(plain(into)).toEqual([...before, ...plain(batch)]);
});

it('D2: what is more, longer or higher than expected is refused', () => {
  const batch = new SparseBatchBuilder();
  for (let key = 0; key < 10; key++) batch.add(key, 1);
  batch.end(1);
  const bytes = encodeExamples(batch);
  const read = (examples: number | null, entriesPerExample: number, features: number, from = bytes) =>
    decodeExamples(from, { examples, entriesPerExample, features }, new SparseBatchBuilder());
  expect(() => read(2, 10, 10)).toThrow('expected 2 examples, got 1');
  expect(() => read(1, 9, 10)).toThrow('example 0 has 10 entries, at most 9');
  expect(() => read(1, 10, 9)).toThrow('example 0 has key 9, the highest may be 8');
  expect(() => read(1, 10, 10, Uint8Array.of(...bytes, 0))).toThrow('1 bytes are left over');
  batch.add(1, Number.POSITIVE_INFINITY);
  batch.end(0);
  expect(() => read(2, 10, 10, encodeExamples(batch))).toThrow('is Infinity');
});

it('D2: every cut is refused; every changed byte and every random string is too, or is other examples within the bounds, seed 6', () => {
  const random = rng(6);
  let refused = 0;
  let isSound = true;
  const attempt = (bytes: Uint8Array) => {
    try {
      const back = decoded(bytes, 200);
      const entries = entriesOf(back);
      isSound &&= back.keys.subarray(0, entries).every((key) => key < 200);
      isSound &&= back.values.subarray(0, entries).every(Number.isFinite);
      return false;
    } catch (error) {
      isSound &&= error instanceof RangeError;
      refused++;
      return true;
    }
  };
  for (let round = 0; round < 40; round++) {
    const bytes = encodeExamples(randomBatch(random, 200, round % 2 === 0));
    for (let cut = 0; cut < bytes.length; cut += 1 + random.below(20))
      expect(attempt(bytes.subarray(0, cut))).toBe(true);
    for (let i = 0; i < 20; i++) attempt(bytes.with(random.below(bytes.length), random.below(256)));
    attempt(Uint8Array.from({ length: random.below(300) }, () => random.below(256)));
  }
  expect(isSound).toBe(true);
  expect(refused).toBeGreaterThan(100);
});

it('a claim of four billion examples takes no memory', () => {
  expect(() => decoded(Uint8Array.of(255, 255, 255, 255, 15), 10)).toThrow(RangeError);
});

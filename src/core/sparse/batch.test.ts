import { describe, expect, it } from 'vitest';
import { rng } from '../math/rng.ts';
import { entriesOf, SparseBatchBuilder } from './batch.ts';
import { DistinctKeys } from './distinct-keys.ts';

/** Examples as plain objects, read back from the arrays. */
const examplesOf = (batch: SparseBatchBuilder) =>
  Array.from({ length: batch.count }, (_, i) => {
    const [from, to] = [batch.offsets[i], batch.offsets[i + 1]];
    return { keys: [...batch.keys.slice(from, to)], values: [...batch.values.slice(from, to)], label: batch.labels[i] };
  });

const randomExample = (random: ReturnType<typeof rng>, maxKey: number) => ({
  keys: Array.from({ length: random.below(60) }, () => random.below(maxKey)),
  label: random.below(2),
});

for (const seed of [1, 2, 3]) {
  it(`a builder gives back what was added, less what was abandoned, seed ${seed}`, () => {
    const random = rng(seed, 'batch');
    const batch = new SparseBatchBuilder(1, 1);
    const copy = new SparseBatchBuilder(1, 1);
    for (let round = 0; round < 3; round++) {
      batch.clear();
      copy.clear();
      const expected = [];
      for (let i = 0; i < 50; i++) {
        const { keys, label } = randomExample(random, 1000);
        for (const key of keys) batch.add(key, key / 2);
        if (random.uniform() < 0.2) {
          batch.abandon();
          continue;
        }
        batch.end(label);
        copy.append(batch, batch.count - 1);
        expected.push({ keys, values: keys.map((key) => key / 2), label });
      }
      expect(examplesOf(batch)).toEqual(expected);
      expect(examplesOf(copy)).toEqual(expected);
    }
  });
}

describe('distinct keys', () => {
  const distinct = new DistinctKeys();
  for (const maxKey of [1, 300, 33_762_578, 2 ** 32]) {
    it(`are sorted and found again at each entry's position, keys below ${maxKey}, seed 4`, () => {
      const random = rng(4, maxKey);
      // Large batches between small ones: arrays of the large must not leak into the small.
      for (const examples of [0, 1, 300, 5, 100]) {
        const batch = new SparseBatchBuilder();
        for (let i = 0; i < examples; i++) {
          const { keys, label } = randomExample(random, maxKey);
          for (const key of keys) batch.add(key, 1);
          batch.end(label);
        }
        const all = [...batch.keys.slice(0, entriesOf(batch))];
        const { keys, count, positions } = distinct.find(batch);
        expect([...keys.slice(0, count)]).toEqual([...new Set(all)].sort((a, b) => a - b));
        expect([...positions.slice(0, all.length)].map((position) => keys[position])).toEqual(all);
      }
    });
  }

  it('takes no new memory for a batch that is no larger than one before', () => {
    const batch = new SparseBatchBuilder();
    for (let i = 0; i < 5000; i++) batch.add(i * 7, 1);
    batch.end(0);
    const arrays = () => new Set(Object.values(distinct.find(batch)).filter(ArrayBuffer.isView));
    const before = arrays();
    expect([...arrays()].every((array) => before.has(array))).toBe(true);
  });
});

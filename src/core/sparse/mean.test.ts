import { expect, it } from 'vitest';
import { mean } from '../math/aggregate/mean.ts';
import { rng } from '../math/rng.ts';
import { sparseMean } from './mean.ts';

const SIZE = 50;

for (const seed of [1, 2, 3, 4, 5]) {
  it(`K6: is the mean of the same gradients with zeros where they have no key, to the bit, seed ${seed}`, () => {
    const random = rng(seed, 'mean');
    const sparse = sparseMean();
    const dense = mean(SIZE, 0);
    for (let round = 0; round < 5; round++) {
      sparse.clear();
      dense.clear();
      const touched = new Set<number>();
      for (let worker = 0; worker < 1 + random.below(5); worker++) {
        const keys = Uint32Array.from({ length: SIZE }, (_, key) => key).filter(() => random.uniform() < 0.2);
        const values = Float32Array.from(keys, () => random.normal());
        const weight = 1 + random.below(100);
        const all = new Float32Array(SIZE);
        keys.forEach((key, i) => {
          all[key] = values[i] as number;
          touched.add(key);
        });
        sparse.add({ keys, values }, weight);
        dense.add({ values: all, keys: null }, weight);
      }
      const { gradient, scale } = sparse.finish();
      const expected = dense.finish();
      expect(scale).toBe(expected.scale);
      expect([...(gradient.keys ?? [])]).toEqual([...touched].sort((a, b) => a - b));
      expect([...gradient.values]).toEqual([...(gradient.keys ?? [])].map((key) => expected.gradient.values[key]));
    }
  });
}

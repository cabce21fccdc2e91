import { describe, expect, it } from 'vitest';
import { boundedNorm, GRADIENT_BOUND } from './params.ts';
import { rng } from './rng.ts';

describe('bounded norm', () => {
  it.each([0, 1, 3, 4, 5, 8, 1023])('is the Euclidean norm of %i numbers', (size) => {
    const random = rng(size, 'norm');
    const values = Float32Array.from({ length: size }, () => 1000 * random.normal());
    expect(boundedNorm(values)).toBeCloseTo(Math.hypot(...values), 6);
  });

  it('is null for one bad number at any place, and only then', () => {
    for (let size = 1; size <= 9; size++) {
      for (let place = 0; place < size; place++) {
        for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 3.1, -3.1, 3e38]) {
          const values = new Float32Array(size).fill(1);
          values[place] = bad;
          expect(boundedNorm(values, 3)).toBeNull();
        }
        const values = new Float32Array(size).fill(-3);
        expect(boundedNorm(values, 3)).toBeCloseTo(3 * Math.sqrt(size), 12);
      }
    }
  });

  it('is exact at the bound itself', () => {
    const above = Float32Array.of(1, GRADIENT_BOUND + 0.0625, 1, 1);
    expect(boundedNorm(above)).toBeNull();
    expect(boundedNorm(Float32Array.of(GRADIENT_BOUND, -GRADIENT_BOUND))).toBeCloseTo(Math.SQRT2 * 1e6, 3);
  });
});

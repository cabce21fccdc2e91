import { expect, test } from 'vitest';
import { rng } from '../../../core/math/rng.ts';
import { linearScale, logScale } from './scale.ts';

test.each([1, 2, 3])('linear ticks are round, evenly spaced and hold all values, seed %i', (seed) => {
  const random = rng(seed, 'scale');
  for (let round = 0; round < 200; round++) {
    const low = random.normal() * 10 ** random.below(6);
    const high = low + random.uniform() * 10 ** (random.below(8) - 3) + 1e-6;
    const { ticks, place } = linearScale(low, high, 5);
    expect(ticks.length).toBeGreaterThan(1);
    expect(ticks.length).toBeLessThan(11);
    expect(place(low)).toBeGreaterThanOrEqual(-1e-6);
    expect(place(high)).toBeLessThanOrEqual(1 + 1e-6);
    const places = ticks.map(place);
    expect(places[0]).toBeCloseTo(0, 5);
    expect(places.at(-1)).toBeCloseTo(1, 5);
    expect(places[1]).toBeCloseTo(1 / (ticks.length - 1), 4);
  }
});

test('ticks are the numbers one would write', () => {
  expect(linearScale(0, 14, 5).ticks).toEqual([0, 2, 4, 6, 8, 10, 12, 14]);
  expect(linearScale(0.1, 0.32, 5).ticks).toEqual([0.1, 0.15, 0.2, 0.25, 0.3, 0.35]);
  expect(linearScale(0, 0).ticks.at(-1)).toBe(1);
  expect(logScale(0.34, 2.3).ticks).toEqual([0.5, 0.7, 1, 2]);
  expect(logScale(0.001, 1000).ticks).toEqual([0.001, 0.01, 0.1, 1, 10, 100, 1000]);
});

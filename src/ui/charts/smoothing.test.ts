import { expect, test } from 'vitest';
import { smooth } from './smoothing.ts';

test('weight 0 changes nothing', () => {
  expect(smooth([3, 1, 2], 0)).toEqual([3, 1, 2]);
});

test('a constant stays a constant from its first value on', () => {
  for (const value of smooth([2.3, 2.3, 2.3, 2.3], 0.95)) expect(value).toBeCloseTo(2.3, 12);
});

test('the mean of two values leans to the newer one by exactly the debiased weight', () => {
  // (0.5·0.5·0 + 0.5·1) / (0.25 + 0.5)
  expect(smooth([0, 1], 0.5)[1]).toBeCloseTo(2 / 3, 12);
});

test('one value that is not a number does not spoil those after it', () => {
  const smoothed = smooth([1, Number.NaN, 1], 0.9);
  expect(smoothed[1]).toBeNaN();
  expect(smoothed[2]).toBeCloseTo(1, 12);
});

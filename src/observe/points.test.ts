import { expect, test } from 'vitest';
import { nearest, thin } from './points.ts';

const range = (size: number) => Array.from({ length: size }, (_, index) => index);

test('thinning keeps the ends and a lone spike, in order', () => {
  const y = range(50_000).map((at) => (at === 31_337 ? 99 : at === 777 ? -99 : Math.sin(at)));
  const line = thin({ x: range(50_000), y }, 100);
  expect(line.x.length).toBeLessThanOrEqual(202);
  expect(line.x[0]).toBe(0);
  expect(line.x.at(-1)).toBe(49_999);
  expect(Math.max(...line.y)).toBe(99);
  expect(Math.min(...line.y)).toBe(-99);
  expect(line.x).toEqual([...line.x].sort((a, b) => a - b));
});

test('a short line is left as it is', () => {
  const line = { x: [1, 2, 3], y: [3, 2, 1] };
  expect(thin(line)).toBe(line);
});

test('the nearest point is found on both sides and beyond the ends', () => {
  const line = { x: [0, 10, 20], y: [0, 0, 0] };
  expect([-5, 4, 6, 14, 16, 99].map((x) => nearest(line.x, x))).toEqual([0, 0, 1, 1, 2, 2]);
  expect(nearest([], 1)).toBe(-1);
});

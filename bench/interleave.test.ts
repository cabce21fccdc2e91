import { expect, test } from 'vitest';
import { bandOf, interleave } from './interleave.ts';

test('the two sides take turns, and who goes first alternates', async () => {
  const order: string[] = [];
  const side = (name: string, value: number) => async () => {
    order.push(name);
    return value;
  };
  const result = await interleave(side('a', 3), side('b', 2), { pairs: 3 });
  expect(order.join('')).toBe('abbaab');
  expect(result.a).toEqual([3, 3, 3]);
  expect(result.ratio).toEqual({ low: 1.5, median: 1.5, high: 1.5 });
});

test('ratios are taken within a pair, so a drift that meets both sides cancels', async () => {
  let calls = 0;
  const drifting = (speed: number) => async () => speed * 2 ** Math.floor(calls++ / 2);
  const { ratio } = await interleave(drifting(1), drifting(4), { pairs: 9 });
  expect(ratio).toEqual({ low: 0.25, median: 0.25, high: 0.25 });
});

test('a band is the 20, 50 and 80 % points in any order of values', () => {
  expect(bandOf([5, 1, 4, 2, 3, 6])).toEqual({ low: 2, median: 3.5, high: 5 });
  expect(bandOf([7])).toEqual({ low: 7, median: 7, high: 7 });
});

test('a band of nothing is an error', () => {
  expect(() => bandOf([])).toThrow('at least one value');
});

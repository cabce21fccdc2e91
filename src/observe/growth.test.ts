import { expect, test } from 'vitest';
import { rng } from '../core/math/rng.ts';
import { Growth } from './growth.ts';

test('adds what each counter grew by, from where it was first seen or from zero', () => {
  for (const [countsFirst, before] of [
    [true, 130],
    [false, 0],
  ] as const) {
    const growth = new Growth(countsFirst);
    expect(growth.add([])).toBeNull();
    expect(
      growth.add([
        ['a', 100],
        ['b', 30],
        ['c', null],
      ]),
    ).toBe(before);
    expect(
      growth.add([
        ['a', 105],
        ['b', 37],
      ]),
    ).toBe(before + 12);
  }
});

test('a counter that falls has started again, and one that is away and comes back goes on', () => {
  const growth = new Growth(false);
  growth.add([['a', 100]]);
  expect(growth.add([['a', 8]])).toBe(8);
  expect(growth.add([])).toBe(8);
  expect(growth.add([['a', 9]])).toBe(9);
});

test.each([1, 2, 3])('never falls, whatever counters do (seed %d)', (seed) => {
  const random = rng(seed, 'growth');
  const growth = new Growth(seed % 2 === 0);
  const counters = new Map<string, number>();
  let last = 0;
  for (let look = 0; look < 500; look += 1) {
    const key = String(random.below(6));
    const chance = random.below(10);
    if (chance === 0) counters.delete(key);
    else counters.set(key, chance === 1 ? 0 : (counters.get(key) ?? 0) + random.below(1000));
    const sum = growth.add(Array.from(counters, ([name, value]) => [name, random.below(8) === 0 ? null : value])) ?? 0;
    expect(sum).toBeGreaterThanOrEqual(last);
    last = sum;
  }
  expect(last).toBeGreaterThan(0);
});

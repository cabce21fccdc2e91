import { describe, expect, test } from 'vitest';
import { rng } from '../core/math/rng.ts';
import { exampleOrder } from './order.ts';

describe.each([1, 7, 20_260])('with seed %i', (seed) => {
  test('each pass has every example once', () => {
    const order = exampleOrder(101, seed);
    for (let pass = 0; pass < 4; pass++) {
      const indices = order.indices(pass * 101, 101);
      expect([...indices].sort((a, b) => a - b)).toEqual(Array.from({ length: 101 }, (_, i) => i));
    }
  });

  test('a range is the same however it is asked for', () => {
    const random = rng(seed, 'order test');
    const whole = exampleOrder(13, seed).indices(0, 200);
    const order = exampleOrder(13, seed);
    for (let i = 0; i < 50; i++) {
      const from = random.below(200);
      const length = random.below(201 - from);
      expect(order.indices(from, length)).toEqual(whole.slice(from, from + length));
    }
  });

  test('passes differ, and so do seeds', () => {
    const order = exampleOrder(1000, seed);
    expect(order.indices(0, 1000)).not.toEqual(order.indices(1000, 1000));
    expect(order.indices(0, 1000)).not.toEqual(exampleOrder(1000, seed + 1).indices(0, 1000));
  });
});

test('refuses positions that are not whole numbers from 0', () => {
  expect(() => exampleOrder(10, 1).indices(-1, 3)).toThrow('positions are whole numbers');
  expect(() => exampleOrder(10, 1).indices(0, 1.5)).toThrow('positions are whole numbers');
  expect(() => exampleOrder(0, 1)).toThrow('at least one example');
});

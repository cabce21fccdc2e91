import { expect, test } from 'vitest';
import { addressName, Holdings, Limiter } from './limits.ts';

test('a burst, then the rate, per name', () => {
  const limiter = new Limiter({ burst: 3, perSecond: 0.5 });
  expect([1, 2, 3, 4].map(() => limiter.take('a', 0))).toEqual([true, true, true, false]);
  expect(limiter.take('b', 0)).toBe(true);
  expect(limiter.has('a', 1999)).toBe(false);
  expect(limiter.has('a', 2000)).toBe(true);
  expect([1, 2].map(() => limiter.take('a', 2000))).toEqual([true, false]);
  expect([1, 2, 3, 4].map(() => limiter.take('a', 1e6))).toEqual([true, true, true, false]);
});

test('a refused try costs nothing: who waits gets in', () => {
  const limiter = new Limiter({ burst: 1, perSecond: 1 });
  limiter.take('a', 0);
  for (let ms = 0; ms < 1000; ms += 10) expect(limiter.take('a', ms)).toBe(false);
  expect(limiter.take('a', 1000)).toBe(true);
});

test('a share that is given back twice counts once', () => {
  const holdings = new Holdings(2);
  const first = holdings.take('a');
  expect(holdings.take('a')).not.toBeNull();
  expect(holdings.take('a')).toBeNull();
  expect(holdings.take('b')).not.toBeNull();
  first?.();
  first?.();
  expect(holdings.take('a')).not.toBeNull();
  expect(holdings.take('a')).toBeNull();
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::9', '2001:db8:1:2'],
  ['2001:db8::9', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
])('%s counts as %s', (address, name) => {
  expect(addressName(address)).toBe(name);
});

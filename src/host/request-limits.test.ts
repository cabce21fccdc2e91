import { expect, test } from 'vitest';
import { ExampleLimit, SampleLimit } from './request-limits.ts';

test('a worker that sends samples without pause is heard twice a second, and others beside it', () => {
  const limit = new SampleLimit();
  let heard = 0;
  for (let ms = 0; ms < 5000; ms += 10) if (limit.admit(1, ms)) heard += 1;
  expect(heard).toBe(10);
  expect(limit.admit(2, 4990)).toBe(true);
});

test('the examples of a lease are sent three times at most, in bounded memory (D1)', () => {
  const limit = new ExampleLimit();
  expect([1, 2, 3, 4].map(() => limit.admit(7))).toEqual([true, true, true, false]);
  for (let lease = 100; lease < 10_000; lease++) expect(limit.admit(lease)).toBe(true);
  limit.restart();
  expect(limit.admit(7)).toBe(true);
});

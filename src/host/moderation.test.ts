import { expect, test } from 'vitest';
import { GiftCount, SamplePace } from './moderation.ts';

test('a worker that sends samples without pause is heard twice a second, and others beside it', () => {
  const pace = new SamplePace();
  let heard = 0;
  for (let ms = 0; ms < 5000; ms += 10) if (pace.admit(1, ms)) heard += 1;
  expect(heard).toBe(10);
  expect(pace.admit(2, 4990)).toBe(true);
});

test('the examples of a lease are given three times at most, in bounded memory (D1)', () => {
  const gifts = new GiftCount();
  expect([1, 2, 3, 4].map(() => gifts.admit(7))).toEqual([true, true, true, false]);
  for (let lease = 100; lease < 10_000; lease++) expect(gifts.admit(lease)).toBe(true);
  gifts.restart();
  expect(gifts.admit(7)).toBe(true);
});

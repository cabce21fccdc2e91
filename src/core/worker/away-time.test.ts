import { expect, test } from 'vitest';
import { AwayTime } from './away-time.ts';

test('making and sending a push is no part of its way', () => {
  const away = new AwayTime();
  away.begin(100, true);
  away.cameBack(160, 20, false, 15);
  expect(away.take()).toEqual({ waitMs: 20, transferMs: 25 });
  expect(away.take()).toEqual({ waitMs: 0, transferMs: 0 });
});

test('with overlap only what is left after the computing was lost', () => {
  const away = new AwayTime();
  away.begin(100, true);
  away.begin(150, false);
  away.cameBack(160, 2, false, 15);
  expect(away.take()).toEqual({ waitMs: 2, transferMs: 8 });
  away.begin(200, true);
  away.cameBack(260, 2, true, 15);
  expect(away.take()).toEqual({ waitMs: 0, transferMs: 0 });
});

test('a pause is nobody’s waiting', () => {
  const away = new AwayTime();
  away.begin(100, true);
  away.stop();
  away.cameBack(9000, Number.POSITIVE_INFINITY, false, 15);
  expect(away.take()).toEqual({ waitMs: 0, transferMs: 0 });
});

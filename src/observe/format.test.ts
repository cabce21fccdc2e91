import { expect, test } from 'vitest';
import {
  bytes,
  clock,
  count,
  counted,
  duration,
  loss,
  megabytes,
  NOTHING,
  percent,
  plainSpaces as plain,
  rate,
  roughly,
} from './format.ts';

test('counts have separators and nouns agree with them', () => {
  expect(count(1240)).toBe('1,240');
  expect(plain(counted(1, 'worker'))).toBe('1 worker');
  expect(plain(counted(1200, 'step'))).toBe('1,200 steps');
  expect(plain(counted(0, 'worker'))).toBe('0 workers');
  expect(plain(counted(0.5, 'epoch'))).toBe('0.5 epochs');
});

test('a loss keeps about three digits at any size and names what is not a number', () => {
  expect([2.3019, 0.31249, 0.0123, 12.34, 512.3, 0.00042].map(loss)).toEqual([
    '2.30',
    '0.312',
    '0.012',
    '12.3',
    '512',
    '4.2e-4',
  ]);
  expect(loss(null)).toBe(NOTHING);
  expect(loss(Number.NaN)).toBe('not a number');
  expect(loss(Number.POSITIVE_INFINITY)).toBe('infinite');
  expect(loss(0)).toBe('0.000');
});

test('a share becomes percent', () => {
  expect(plain(percent(0.9173))).toBe('91.7 %');
  expect(plain(percent(1, 0))).toBe('100 %');
  expect(percent(Number.NaN)).toBe(NOTHING);
});

test('bytes that nobody told are no number', () => {
  expect([null, undefined, Number.NaN, Number.POSITIVE_INFINITY].map(bytes)).toEqual(Array(4).fill(NOTHING));
});

test('bytes pick the unit that needs at most three digits before the point', () => {
  expect([0, 999, 1000, 31_400, 999_949, 4_200_000, 123_456_789, 5e9].map((n) => plain(bytes(n)))).toEqual([
    '0 B',
    '999 B',
    '1.0 kB',
    '31.4 kB',
    '1.0 MB',
    '4.2 MB',
    '123 MB',
    '5.0 GB',
  ]);
});

test('a column of megabytes has one unit', () => {
  expect([31_400, 4_200_000, 42_000_000, 1_240_000_000].map(megabytes)).toEqual(['0.03', '4.20', '42.0', '1,240']);
});

test('rates drop their decimal when it no longer matters', () => {
  expect([0.4, 12.34, 4210.7].map(rate)).toEqual(['0.4', '12.3', '4,211']);
});

test('a stopwatch shows hours only when there are some', () => {
  expect([0, 42_000, 725_900, 3_725_000].map(clock)).toEqual(['0:00', '0:42', '12:05', '1:02:05']);
});

test('durations change unit where the number would grow long', () => {
  expect([1.26, 340, 4210, 83_000, 744_000, 9_000_000].map((ms) => plain(duration(ms)))).toEqual([
    '1.3 ms',
    '340 ms',
    '4.21 s',
    '83.0 s',
    '12.4 min',
    '2.5 h',
  ]);
});

test('a guess of time left is as rough as it is', () => {
  expect([300, 7_400, 43_000, 200_000, 9_000_000].map((ms) => plain(roughly(ms)))).toEqual([
    '1 s',
    '7 s',
    '45 s',
    '3 min',
    '3 h',
  ]);
});

test('what is there but rounds to nothing is said to be there', () => {
  expect([0, 0.002, 0.005, 0.918].map((share) => plain(percent(share, 0)))).toEqual(['0 %', '<1 %', '1 %', '92 %']);
  expect(plain(percent(0.0004))).toBe('<0.1 %');
  expect([0, 0.0001, 0.05].map((ms) => plain(duration(ms)))).toEqual(['0 ms', '<0.1 ms', '0.1 ms']);
});

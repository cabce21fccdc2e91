import { expect, test } from 'vitest';
import { percent, range, size, time } from './verdict-numbers.ts';

test('times have two or three digits and no more decimals than clocks tell', () => {
  const times = [0, 0.0001, 0.05, 1.26, 9.94, 9.96, 312.4, 999.6, 12_345, 99_960, 754_321];
  expect(times.map(time)).toEqual([
    '0 ms',
    'less than 0.1 ms',
    '0.1 ms',
    '1.3 ms',
    '9.9 ms',
    '10 ms',
    '312 ms',
    '1.00 s',
    '12.3 s',
    '100 s',
    '754 s',
  ]);
  expect([range([0.31, 0.33]), range([2, 40])]).toEqual(['0.3 ms', '2 ms to 40 ms']);
});

test('sizes take the unit that leaves three digits, shares are whole percent', () => {
  expect([50, 1234, 99_960, 999_600, 4.2e6, 2e9].map(size)).toEqual([
    '50 B',
    '1.23 kB',
    '100 kB',
    '1.00 MB',
    '4.20 MB',
    '2.00 GB',
  ]);
  expect([0, 0.002, 0.005, 0.918, 1].map(percent)).toEqual(['0 %', 'less than 1 %', '1 %', '92 %', '100 %']);
});

import { expect, test } from 'vitest';
import { counted } from '../../observe/format.ts';
import { measured } from '../measured.ts';
import { bare, counts, finePercents, losses, meanAndSpread, megabytes, seconds, withUnit } from './number-words.ts';
import { rangeRatio, readRange } from './sections/reference-numbers.ts';

const plain = (text: string) => text.replaceAll('\u00a0', ' ');

test('numbers have about three digits and their unit', () => {
  expect(['0.3421', '1.234', '12.34', '123.4'].map((text) => bare(Number(text), seconds))).toEqual([
    '0.34',
    '1.23',
    '12.3',
    '123',
  ]);
  expect(plain(withUnit(0.9174, finePercents))).toBe('91.74 %');
  expect(bare(1_240_000, counts)).toBe('1,240,000');
  expect(bare(31_400, megabytes)).toBe('0.03');
  expect(bare(null, losses)).toBe('–');
  expect(bare(Number.NaN, losses)).toBe('–');
  expect(bare(-384, megabytes)).toBe('0.00');
});

test('a count keeps its fraction', () => {
  expect([0.5, 1, 2, 50_000].map((value) => plain(counted(value, 'epoch')))).toEqual([
    '0.5 epochs',
    '1 epoch',
    '2 epochs',
    '50,000 epochs',
  ]);
});

test('mean and spread have the same decimals; one run has no spread', () => {
  expect(plain(meanAndSpread(measured([13, 14, 15]), seconds))).toBe('14.0 ± 1.0');
  expect(meanAndSpread(measured([14]), seconds)).toBe('14.0');
  expect(meanAndSpread(null, seconds)).toBe('–');
});

test('figures of others are read as they were written, and only those', () => {
  expect(readRange('13.7–14.0')).toEqual({ low: 13.7, high: 14 });
  expect(readRange('34 to 113 s')).toEqual({ low: 34, high: 113 });
  expect(readRange('91.8 %')).toEqual({ low: 91.8, high: 91.8 });
  expect(readRange('4.75 min')).toEqual({ low: 285, high: 285 });
  expect(readRange('8,600')).toEqual({ low: 8600, high: 8600 });
  expect(readRange('slower')).toBeNull();
  expect(rangeRatio({ low: 34, high: 113 }, { low: 13, high: 15 })).toEqual({ low: 34 / 14, high: 113 / 14 });
});

import { expect, test } from 'vitest';
import { parseCifar } from './cifar.ts';
import { formatIdx, parseIdx } from './idx.ts';

const record = (label: number) => [
  label,
  ...Array.from({ length: 3072 }, (_, i) => Math.floor(i / 1024) * 50 + (i % 32)),
];

test('planes of colours become pixels', () => {
  const { labels, images } = parseCifar(Uint8Array.from([...record(3), ...record(9)]));
  expect([...labels]).toEqual([3, 9]);
  expect([...images.subarray(0, 6)]).toEqual([0, 50, 100, 1, 51, 101]);
  expect([...images.subarray(3072 + 31 * 3, 3072 + 33 * 3)]).toEqual([31, 81, 131, 0, 50, 100]);
});

test('other files are refused with what they should be', () => {
  expect(() => parseCifar(new Uint8Array(3074))).toThrow('a multiple of 3073 bytes, this has 3074');
  expect(() => parseCifar(Uint8Array.from(record(10)))).toThrow('image 0 has 10: is this CIFAR-100?');
});

test('IDX files are read as they were written', () => {
  const idx = { shape: [2, 1, 3], values: Uint8Array.of(1, 2, 3, 4, 5, 6) };
  expect(parseIdx(formatIdx(idx))).toEqual(idx);
});

import { expect, test } from 'vitest';
import { parseIdx } from './idx.ts';

const file = (...bytes: number[]) => Uint8Array.from(bytes);

test('reads shape and values of a file that starts anywhere in its buffer', () => {
  const padded = file(99, 0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6);
  const { shape, values } = parseIdx(padded.subarray(1));
  expect(shape).toEqual([2, 3]);
  expect([...values]).toEqual([1, 2, 3, 4, 5, 6]);
});

test.each([
  ['is too short for any head', file(0, 0, 8), 'at least 4 bytes, this has 3'],
  ['does not start with zeros', file(0x1f, 0x8b, 8, 1), 'two zero bytes, this with 0x1f8b'],
  ['holds other numbers than uint8', file(0, 0, 0x0d, 1, 0, 0, 0, 0), 'uint8 (type 8) can be read, this has type 13'],
  ['has no dimensions', file(0, 0, 8, 0), 'head of 0 dimensions'],
  ['ends within its head', file(0, 0, 8, 3, 0, 0, 0, 1), 'head of 3 dimensions does not fit in 8 bytes'],
  ['ends within its values', file(0, 0, 8, 1, 0, 0, 0, 3, 1, 2), '3 has 3 elements, this has 2'],
  ['goes on after its values', file(0, 0, 8, 1, 0, 0, 0, 1, 1, 2), '1 has 1 elements, this has 2'],
  ['claims more than memory', file(0, 0, 8, 2, 255, 255, 255, 255, 255, 255, 255, 255), 'this has 0'],
])('refuses a file that %s', (_, bytes, message) => {
  expect(() => parseIdx(bytes)).toThrow(message);
});

import { expect, it } from 'vitest';
import { checksum } from './checksum.ts';

const ascii = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));

it('agrees with the published values of xxHash32', () => {
  expect(checksum(ascii(''))).toBe(0x02cc5d05);
  expect(checksum(ascii('a'))).toBe(0x550d7456);
  expect(checksum(ascii('abc'))).toBe(0x32d153ff);
  expect(checksum(ascii('Nobody inspects the spammish repetition'))).toBe(0xe2293b2f);
});

it('does not depend on where the bytes lie', () => {
  const bytes = Uint8Array.from({ length: 103 }, (_, i) => i * 7);
  for (let shift = 0; shift < 4; shift++) {
    const moved = new Uint8Array(bytes.length + shift);
    moved.set(bytes, shift);
    expect(checksum(moved.subarray(shift), 42)).toBe(checksum(bytes, 42));
  }
});

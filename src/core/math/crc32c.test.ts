import { expect, it } from 'vitest';
import { crc32c, maskedCrc32c } from './crc32c.ts';
import { rng } from './rng.ts';

const ascii = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));

it('agrees with the published values of CRC-32C', () => {
  expect(crc32c(ascii('123456789'))).toBe(0xe3069283);
  expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
  expect(crc32c(new Uint8Array(32).fill(255))).toBe(0x62a8ab43);
  expect(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i))).toBe(0x46dd794e);
  expect(crc32c(new Uint8Array(0))).toBe(0);
});

it('does not depend on where the bytes lie, seed 1', () => {
  const random = rng(1);
  const bytes = Uint8Array.from({ length: 200 }, () => random.below(256));
  for (let start = 0; start < 20; start++) {
    for (const end of [start, start + 1, start + 9, 200]) {
      expect(crc32c(bytes, start, end)).toBe(crc32c(bytes.slice(start, end)));
    }
  }
});

it('is masked as TFRecord files have it', () => {
  // How every TensorBoard event file begins: 18 00 00 00 00 00 00 00 a3 7f 4b 22.
  expect(maskedCrc32c(Uint8Array.of(0x18, 0, 0, 0, 0, 0, 0, 0))).toBe(0x224b7fa3);
});

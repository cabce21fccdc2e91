/** Tables for eight bytes at a time: entry [k][b] is the checksum of byte b followed by k zero bytes. */
const TABLES = makeTables();

function makeTables(): Uint32Array {
  const tables = new Uint32Array(8 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
    tables[byte] = crc;
  }
  for (let i = 256; i < tables.length; i++) {
    const previous = tables[i - 256] as number;
    tables[i] = (previous >>> 8) ^ (tables[previous & 255] as number);
  }
  return tables;
}

const entry = (table: number, byte: number) => TABLES[table * 256 + (byte & 255)] as number;

/** CRC-32C (Castagnoli) of bytes[start, end), as an unsigned integer. */
export function crc32c(bytes: Uint8Array, start = 0, end = bytes.length): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let crc = 0xffffffff;
  let at = start;
  for (; at + 8 <= end; at += 8) {
    const low = crc ^ view.getUint32(at, true);
    const high = view.getUint32(at + 4, true);
    crc =
      entry(7, low) ^
      entry(6, low >>> 8) ^
      entry(5, low >>> 16) ^
      entry(4, low >>> 24) ^
      entry(3, high) ^
      entry(2, high >>> 8) ^
      entry(1, high >>> 16) ^
      entry(0, high >>> 24);
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ entry(0, crc ^ (bytes[at] as number));
  return (crc ^ 0xffffffff) >>> 0;
}

/** As TFRecord files store it: rotated and shifted, so that a checksum over data with checksums in it stays good. */
export function maskedCrc32c(bytes: Uint8Array, start = 0, end = bytes.length): number {
  const crc = crc32c(bytes, start, end);
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

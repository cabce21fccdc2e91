import type { Codec } from './codec.ts';

/** The numbers as they are, little-endian: 4 bytes each, no error. */
export const float32: Codec = {
  name: 'float32',
  bytesFor: (count) => 4 * count,
  encode: (values) => new Uint8Array(values.slice().buffer),
  decode(bytes, count) {
    if (bytes.length !== 4 * count) throw new RangeError(`expected ${4 * count} bytes of float32, got ${bytes.length}`);
    const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
    return new Float32Array(aligned.buffer, aligned.byteOffset, count);
  },
};

import type { Codec } from './codec.ts';

/** The numbers as they are, little-endian: 4 bytes each, no error. What is not finite travels too: receivers check. */
export const float32: Codec = {
  name: 'float32',
  needsFeedback: false,
  bytesFor: (count) => 4 * count,
  encode: (values) => new Uint8Array(values.slice().buffer),
  decode(bytes, into) {
    if (bytes.length !== into.byteLength) {
      throw new RangeError(`expected ${into.byteLength} bytes of float32, got ${bytes.length}`);
    }
    if (bytes.byteOffset % 4 === 0) return new Float32Array(bytes.buffer, bytes.byteOffset, into.length);
    new Uint8Array(into.buffer, into.byteOffset, into.byteLength).set(bytes);
    return into;
  },
};

import type { Codec } from './codec.ts';
import { halfOf, halfValues } from './half.ts';

/**
 * Half precision, little-endian: 2 bytes each, rounded to nearest even, so within 2^-11 of the number's size or 2^-25,
 * whichever is more. Numbers beyond ±65504 become that; if any is not finite, `decode` refuses the message.
 */
export const float16: Codec = {
  name: 'float16',
  needsFeedback: false,
  bytesFor: (count) => 2 * count,
  encode(values) {
    const bits = new Int32Array(values.buffer, values.byteOffset, values.length);
    const halves = new Uint16Array(values.length);
    const whole = values.length & ~3;
    // Here and below several numbers per turn: a turn of the loop itself costs as much as a number.
    for (let i = 0; i < whole; i += 4) {
      halves[i] = halfOf(bits[i] as number);
      halves[i + 1] = halfOf(bits[i + 1] as number);
      halves[i + 2] = halfOf(bits[i + 2] as number);
      halves[i + 3] = halfOf(bits[i + 3] as number);
    }
    for (let i = whole; i < values.length; i++) halves[i] = halfOf(bits[i] as number);
    return new Uint8Array(halves.buffer);
  },
  decode(bytes, into) {
    const count = into.length;
    if (bytes.length !== 2 * count) throw new RangeError(`expected ${2 * count} bytes of float16, got ${bytes.length}`);
    const numbers = halfValues();
    // A DataView reads at any offset, as fast as an aligned array.
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const whole = count & ~7;
    // Adding 1 to an exponent of all ones carries into the cleared sign bit: set once, it stays set.
    let carries = 0;
    for (let i = 0, at = 0; i < whole; i += 8, at += 16) {
      const a = view.getInt32(at, true);
      const b = view.getInt32(at + 4, true);
      const c = view.getInt32(at + 8, true);
      const d = view.getInt32(at + 12, true);
      carries |= (a & 0x7fff7fff) + 0x04000400;
      carries |= (b & 0x7fff7fff) + 0x04000400;
      carries |= (c & 0x7fff7fff) + 0x04000400;
      carries |= (d & 0x7fff7fff) + 0x04000400;
      into[i] = numbers[a & 0xffff] as number;
      into[i + 1] = numbers[a >>> 16] as number;
      into[i + 2] = numbers[b & 0xffff] as number;
      into[i + 3] = numbers[b >>> 16] as number;
      into[i + 4] = numbers[c & 0xffff] as number;
      into[i + 5] = numbers[c >>> 16] as number;
      into[i + 6] = numbers[d & 0xffff] as number;
      into[i + 7] = numbers[d >>> 16] as number;
    }
    for (let i = whole; i < count; i++) {
      const half = view.getUint16(2 * i, true);
      carries |= (half & 0x7fff) + 0x0400;
      into[i] = numbers[half] as number;
    }
    if (carries & 0x80008000) throw new RangeError('expected finite numbers in float16, got some that are not');
    return into;
  },
};

import type { Codec } from './codec.ts';
import { halfOf, halfValues } from './half.ts';
import { selectLargest } from './selection.ts';

/*
 * Little-endian, with k = the share of the numbers that is sent:
 *   4 bytes        float32  scale: the largest magnitude
 *   4 bytes × k    uint32   where the numbers are, ascending
 *   2 bytes × k    float16  number ÷ scale, of each
 */
const SCALE_BYTES = 4;
const ENTRY_BYTES = 6;

const oneFloat = new Float32Array(1);
const bitsOfOne = new Int32Array(oneFloat.buffer);

/**
 * Only the numbers of the largest magnitude: a `share` of them, at least one, each within 2^-11 of its size or 2^-25 of the
 * largest. The others come out as zero, so what is left out must be added to the next message. If any number
 * is not finite, `decode` refuses the message.
 */
export function topk(share: number): Codec {
  if (!(share > 0 && share <= 1))
    throw new RangeError(`the share of top-k must be above 0 and at most 1, got ${share}`);
  const sentOf = (count: number) => Math.min(count, Math.max(1, Math.ceil(share * count)));
  const bytesFor = (count: number) => SCALE_BYTES + ENTRY_BYTES * sentOf(count);
  return {
    name: 'topk',
    needsFeedback: true,
    bytesFor,
    encode(values) {
      const sent = sentOf(values.length);
      const bytes = new Uint8Array(bytesFor(values.length));
      const indices = new Uint32Array(bytes.buffer, SCALE_BYTES, sent);
      const halves = new Uint16Array(bytes.buffer, SCALE_BYTES + 4 * sent, sent);
      bitsOfOne[0] = selectLargest(new Int32Array(values.buffer, values.byteOffset, values.length), indices);
      const scale = oneFloat[0] as number;
      new DataView(bytes.buffer).setFloat32(0, scale, true);
      for (let i = 0; i < sent; i++) {
        oneFloat[0] = scale === 0 ? 0 : (values[indices[i] as number] as number) / scale;
        halves[i] = halfOf(bitsOfOne[0] as number);
      }
      return bytes;
    },
    decode(bytes, into) {
      const count = into.length;
      if (bytes.length !== bytesFor(count)) {
        throw new RangeError(`expected ${bytesFor(count)} bytes of top-k, got ${bytes.length}`);
      }
      const sent = sentOf(count);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      const scale = view.getFloat32(0, true);
      if (!(scale >= 0 && scale < Number.POSITIVE_INFINITY)) {
        throw new RangeError(`expected a finite scale of top-k, got ${scale}`);
      }
      const numbers = halfValues();
      into.fill(0);
      let previous = -1;
      for (let i = 0, at = SCALE_BYTES, halfAt = at + 4 * sent; i < sent; i++, at += 4, halfAt += 2) {
        const index = view.getUint32(at, true);
        if (index <= previous || index >= count) {
          throw new RangeError(`expected ascending places below ${count} in top-k, got ${index} after ${previous}`);
        }
        const ratio = numbers[view.getUint16(halfAt, true)] as number;
        // Written so that NaN, which compares false to everything, is refused.
        if (!(Math.abs(ratio) <= 1)) throw new RangeError(`expected parts of the scale in top-k, got ${ratio}`);
        into[index] = scale * ratio;
        previous = index;
      }
      return into;
    },
  };
}

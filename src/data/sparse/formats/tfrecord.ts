import { maskedCrc32c } from '../../../core/math/crc32c.ts';
import { type Malformed, malformed, Splitter } from './splitter.ts';

/*
 * TFRecord, little-endian, one after the other:
 *
 *  offset  bytes  field
 *       0      8  length of the data, n
 *       8      4  masked CRC-32C of the length
 *      12      n  data
 *  12 + n      4  masked CRC-32C of the data
 */
const LENGTH_BYTES = 8;
const HEAD_BYTES = LENGTH_BYTES + 4;
const TAIL_BYTES = 4;
/** An example is some kilobytes; what claims more than this must not fill the memory. */
const MAX_RECORD_BYTES = 16 * 2 ** 20;

/** The data of each record whose checksums are right. */
export class TfRecordSplitter extends Splitter {
  readonly unit = 'record';

  next(): 'record' | 'more' | Malformed {
    const { queue } = this;
    const here = queue.end - queue.start;
    if (here === 0) return 'more';
    if (here < HEAD_BYTES) return this.isFinished ? this.cutOff(HEAD_BYTES) : 'more';
    const view = new DataView(queue.bytes.buffer, queue.bytes.byteOffset + queue.start, here);
    const length = view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32;
    if (view.getUint32(LENGTH_BYTES, true) !== maskedCrc32c(queue.bytes, queue.start, queue.start + LENGTH_BYTES)) {
      this.number++;
      const hint = this.number === 1 ? 'This is no TFRecord file, or it is damaged.' : 'The rest cannot be read.';
      return { why: `the checksum of its length is wrong. ${hint}`, isFatal: true };
    }
    if (length > MAX_RECORD_BYTES) {
      this.number++;
      return { why: `it has ${length} bytes, more than ${MAX_RECORD_BYTES}: no example is so long`, isFatal: true };
    }
    const size = HEAD_BYTES + length + TAIL_BYTES;
    if (here < size) return this.isFinished ? this.cutOff(size) : 'more';
    this.number++;
    this.start = queue.start + HEAD_BYTES;
    this.end = this.start + length;
    this.advance(queue.start + size);
    if (view.getUint32(HEAD_BYTES + length, true) === maskedCrc32c(queue.bytes, this.start, this.end)) return 'record';
    return malformed('the checksum of its data is wrong');
  }

  private cutOff(size: number): Malformed {
    const here = this.queue.end - this.queue.start;
    this.advance(this.queue.end);
    this.number++;
    return malformed(`the file ends within it: ${here} of at least ${size} bytes are there`);
  }
}

import { ByteQueue, type Malformed, malformed, type Splitter } from './splitter.ts';

/** A longer line is no example but a file of another kind, and must not fill the memory. */
const MAX_LINE_BYTES = 4 * 2 ** 20;
const [TAB, NEWLINE, RETURN, SPACE] = [9, 10, 13, 32];

/** The part of a file whose lines begin at `fromByte` … `untilByte − 1`. Parts that meet share no line and lose none. */
export interface ByteRange {
  readonly fromByte: number;
  readonly untilByte: number;
}

/** Part `index` of `count` equal parts of a file. */
export const byteRangeOf = (sizeBytes: number, index: number, count: number): ByteRange => ({
  fromByte: Math.floor((sizeBytes * index) / count),
  untilByte: Math.floor((sizeBytes * (index + 1)) / count),
});

/** Where to open a file for a range: one byte before, to see whether a line begins at its first. */
export const openingByteOf = ({ fromByte }: ByteRange): number => Math.max(0, fromByte - 1);

/** Lines without their ends (LF or CRLF); the last needs none. Blank lines count, but are not given. */
export class LineSplitter implements Splitter {
  readonly unit = 'line';
  number = 0;
  start = 0;
  end = 0;
  private readonly queue = new ByteQueue();
  /** Up to here in the queue there is no newline. */
  private searched = 0;
  /** In the file, of the first byte in the queue. */
  position: number;
  private readonly untilByte: number;
  private skipping: 'nothing' | 'rest of the previous part' | 'rest of a long line';
  private isFinished = false;

  /** Expects the bytes from `openingByteOf(range)` on. */
  constructor(range: ByteRange = { fromByte: 0, untilByte: Number.POSITIVE_INFINITY }) {
    this.position = openingByteOf(range);
    this.untilByte = range.untilByte;
    this.skipping = range.fromByte > 0 ? 'rest of the previous part' : 'nothing';
  }

  get bytes(): Uint8Array {
    return this.queue.bytes;
  }

  push(chunk: Uint8Array): void {
    const searched = this.searched - this.queue.start;
    this.queue.push(chunk);
    this.searched = this.queue.start + searched;
  }

  finish(): void {
    this.isFinished = true;
  }

  next(): 'record' | 'more' | 'end' | Malformed {
    const { queue } = this;
    for (;;) {
      // A long line that is being skipped began before; where it goes on says nothing.
      if (this.skipping === 'nothing' && this.position >= this.untilByte) return 'end';
      const found = queue.bytes.indexOf(NEWLINE, this.searched);
      // Beyond the queue's end there are old bytes.
      const isLast = found < 0 || found >= queue.end;
      if (isLast && !this.isFinished) {
        this.searched = queue.end;
        if (this.skipping !== 'nothing' || queue.end - queue.start > MAX_LINE_BYTES) {
          if (this.skipping === 'nothing') this.skipping = 'rest of a long line';
          this.advance(queue.end);
        }
        return 'more';
      }
      if (isLast && queue.start === queue.end && this.skipping !== 'rest of a long line') return 'end';
      const skipped = this.skipping;
      this.skipping = 'nothing';
      this.start = queue.start;
      this.end = isLast ? queue.end : found;
      this.advance(isLast ? queue.end : found + 1);
      if (skipped === 'rest of the previous part') continue;
      this.number++;
      if (skipped === 'rest of a long line') return malformed(`it has more than ${MAX_LINE_BYTES} bytes`);
      if (this.trim()) return 'record';
    }
  }

  private advance(to: number): void {
    this.position += to - this.queue.start;
    this.queue.start = to;
    this.searched = to;
  }

  /** Takes white space off the end, but not tabs, which may be empty columns; false for a blank line. */
  private trim(): boolean {
    const { bytes } = this.queue;
    while (this.end > this.start && (bytes[this.end - 1] === RETURN || bytes[this.end - 1] === SPACE)) this.end--;
    for (let i = this.start; i < this.end; i++) if (bytes[i] !== SPACE && bytes[i] !== TAB) return true;
    return false;
  }
}

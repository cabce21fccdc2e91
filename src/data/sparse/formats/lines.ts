import { type Malformed, malformed, Splitter } from './splitter.ts';

/** A longer line is no example but a file of another kind, and must not fill the memory. */
const MAX_LINE_BYTES = 4 * 2 ** 20;
const [TAB, NEWLINE, RETURN, SPACE] = [9, 10, 13, 32];

/** Lines without their ends (LF or CRLF); the last needs none. Blank lines count, but are not given. */
export class LineSplitter extends Splitter {
  readonly unit = 'line';
  /** Up to here in the queue there is no newline. */
  private searched = 0;
  private isInLongLine = false;

  override push(chunk: Uint8Array): void {
    const searched = this.searched - this.queue.start;
    super.push(chunk);
    this.searched = this.queue.start + searched;
  }

  next(): 'record' | 'more' | Malformed {
    const { queue } = this;
    for (;;) {
      const found = queue.bytes.indexOf(NEWLINE, this.searched);
      // Beyond the queue's end there are old bytes.
      const isLast = found < 0 || found >= queue.end;
      if (isLast && !this.isFinished) {
        this.searched = queue.end;
        if (queue.end - queue.start > MAX_LINE_BYTES) this.isInLongLine = true;
        if (this.isInLongLine) this.advance(queue.end);
        return 'more';
      }
      if (isLast && queue.start === queue.end && !this.isInLongLine) return 'more';
      const isTooLong = this.isInLongLine;
      this.isInLongLine = false;
      this.start = queue.start;
      this.end = isLast ? queue.end : found;
      this.searched = isLast ? queue.end : found + 1;
      this.advance(this.searched);
      this.number++;
      if (isTooLong) return malformed(`it has more than ${MAX_LINE_BYTES} bytes`);
      if (this.trim()) return 'record';
    }
  }

  /** Takes white space off the end, but not tabs, which may be empty columns; false for a blank line. */
  private trim(): boolean {
    const { bytes } = this.queue;
    while (this.end > this.start && (bytes[this.end - 1] === RETURN || bytes[this.end - 1] === SPACE)) this.end--;
    for (let i = this.start; i < this.end; i++) if (bytes[i] !== SPACE && bytes[i] !== TAB) return true;
    return false;
  }
}

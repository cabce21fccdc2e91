/** Something in a file that is not an example. After a fatal one, nothing further can be found in the file. */
export interface Malformed {
  readonly why: string;
  readonly isFatal: boolean;
}

export const malformed = (why: string): Malformed => ({ why, isFatal: false });

/** Bytes waiting to be used, in one array; its size is that of what waits at most, doubled. */
class ByteQueue {
  bytes: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0;

  push(chunk: Uint8Array): void {
    const kept = this.end - this.start;
    if (kept + chunk.length > this.bytes.length) {
      const larger = new Uint8Array(2 * (kept + chunk.length));
      larger.set(this.bytes.subarray(this.start, this.end));
      this.bytes = larger;
      [this.start, this.end] = [0, kept];
    } else if (this.end + chunk.length > this.bytes.length) {
      this.bytes.copyWithin(0, this.start, this.end);
      [this.start, this.end] = [0, kept];
    }
    this.bytes.set(chunk, this.end);
    this.end += chunk.length;
  }
}

/**
 * Cuts a stream of bytes into records (lines, TFRecords). After `push`, and once more after `finish`, call `next` until it
 * gives 'more'. A record is bytes[start, end) until the next `push`.
 */
export abstract class Splitter {
  abstract readonly unit: 'line' | 'record';
  /** Of the last record or malformed piece, from 1. */
  number = 0;
  /** How many of the bytes pushed so far belong to what was found: another splitter can begin after a record. */
  position = 0;
  start = 0;
  end = 0;
  protected readonly queue = new ByteQueue();
  protected isFinished = false;

  abstract next(): 'record' | 'more' | Malformed;

  get bytes(): Uint8Array {
    return this.queue.bytes;
  }

  push(chunk: Uint8Array): void {
    this.queue.push(chunk);
  }

  finish(): void {
    this.isFinished = true;
  }

  /** What is in the queue up to `to` has been dealt with. */
  protected advance(to: number): void {
    this.position += to - this.queue.start;
    this.queue.start = to;
  }
}

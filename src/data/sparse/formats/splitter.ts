/** Something in a file that is not an example. After a fatal one, nothing further can be found in the file. */
export interface Malformed {
  readonly why: string;
  readonly isFatal: boolean;
}

export const malformed = (why: string): Malformed => ({ why, isFatal: false });

/**
 * Cuts a stream of bytes into records (lines, TFRecords). After `push`, call `next` until it gives 'more'; after
 * `finish`, until it gives 'end'. A record's bytes hold until the next `push`.
 */
export interface Splitter {
  readonly unit: 'line' | 'record';
  /** Of the last record or malformed piece, from 1. */
  readonly number: number;
  /** How many of the bytes given so far belong to what was found: another splitter can begin after a record. */
  readonly position: number;
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  push(chunk: Uint8Array): void;
  finish(): void;
  next(): 'record' | 'more' | 'end' | Malformed;
}

/** Bytes waiting to be used, in one array; its size is that of what waits at most, doubled. */
export class ByteQueue {
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

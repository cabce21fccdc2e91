/** Bytes per millisecond of a link of so many megabits per second. */
export const bytesPerMs = (mbps: number): number => mbps * 125;

/** One direction of one link: what is sent leaves in order, each when the one before has left. */
export class Pipe {
  readonly rate: number;
  /** When the last thing so far has left. */
  #freeMs = 0;
  #bytes = 0;

  constructor(mbps: number) {
    this.rate = bytesPerMs(mbps);
  }

  /** All that went through. */
  get bytes(): number {
    return this.#bytes;
  }

  /** For how long it was in use. */
  get busyMs(): number {
    return this.#bytes / this.rate;
  }

  /** Begins to send as soon as the pipe is free; gives when the first byte left. The last leaves `bytes ÷ rate` later. */
  send(bytes: number, nowMs: number): number {
    const startMs = nowMs > this.#freeMs ? nowMs : this.#freeMs;
    this.#freeMs = startMs + bytes / this.rate;
    this.#bytes += bytes;
    return startMs;
  }

  /**
   * Takes in what comes from another pipe, whose first byte is here at `firstMs` and the last at `lastMs`; gives when
   * the last is through. Bytes flow on as they come: two equal pipes in a row take no longer than one.
   */
  pass(bytes: number, firstMs: number, lastMs: number): number {
    const startMs = firstMs > this.#freeMs ? firstMs : this.#freeMs;
    const endMs = startMs + bytes / this.rate;
    this.#freeMs = endMs > lastMs ? endMs : lastMs;
    this.#bytes += bytes;
    return this.#freeMs;
  }

  /**
   * The same where many slow links end in this one: what trickles in leaves room for others meanwhile, so only the
   * pipe's own time for these bytes counts. To be called in the order of `lastMs`.
   */
  gather(bytes: number, firstMs: number, lastMs: number): number {
    const tookMs = bytes / this.rate;
    this.#freeMs = Math.max(this.#freeMs, firstMs, lastMs - tookMs) + tookMs;
    this.#bytes += bytes;
    return this.#freeMs;
  }
}

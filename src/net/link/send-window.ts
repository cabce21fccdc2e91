const START_BYTES = 1 << 19;
/** Two full frames, so that one is on its way while news of the other comes back. */
const MIN_BYTES = 1 << 17;
/** What a receiver that does not read, a thread that computes for example, must find room for. */
const MAX_BYTES = 1 << 22;
/** How long the bytes of long messages may queue on the way: what a small message behind them waits. */
const QUEUE_MS = 50;
/** News in small steps keeps the bytes flowing evenly; each costs two small messages. */
const MIN_STEP_BYTES = 1 << 16;
const MAX_STEP_BYTES = 1 << 18;

interface SentMark {
  readonly at: number;
  readonly sentMs: number;
  /** Under way when it was sent, or allowed to be; null if it had the way for itself. */
  readonly windowBytes: number | null;
}

/**
 * How many bytes of long messages may be on their way to the other side. Marks sent among them come back; the window is
 * steered so that they take about QUEUE_MS longer than on an idle link, whatever the link: a slow one carries little
 * at a time and lets small messages through, a fast one is kept full. Pure: the caller has the clock.
 *
 * Never stuck: with the window full there is a mark under way, or `nextMark` gives one.
 */
export class SendWindow {
  #bytes = START_BYTES;
  #sent = 0;
  #reached = 0;
  #marked = 0;
  #marks: SentMark[] = [];
  #idleMs: number | null = null;
  #wasFull = false;

  get bytes(): number {
    return this.#bytes;
  }

  get inFlightBytes(): number {
    return this.#sent - this.#reached;
  }

  hasRoom(): boolean {
    const hasRoom = this.inFlightBytes < this.#bytes;
    this.#wasFull ||= !hasRoom;
    return hasRoom;
  }

  /** These bytes went out. */
  sent(bytes: number): void {
    this.#sent += bytes;
  }

  /** The mark to send now, or null. `waitingBytes` are yet to be sent. */
  nextMark(waitingBytes: number, nowMs: number): number | null {
    const isAlone = this.inFlightBytes === 0 && this.#marks.length === 0 && waitingBytes > this.#bytes;
    if (!isAlone && this.#sent - this.#marked < this.#stepBytes(waitingBytes)) return null;
    this.#marked = this.#sent;
    const windowBytes = isAlone ? null : Math.max(this.#bytes, this.inFlightBytes);
    this.#marks.push({ at: this.#sent, sentMs: nowMs, windowBytes });
    return this.#sent;
  }

  /** A mark came back, and all before it has arrived; false if no such mark is under way. */
  reached(at: number, nowMs: number): boolean {
    const index = this.#marks.findIndex((mark) => mark.at === at);
    const mark = this.#marks[index];
    if (mark === undefined) return false;
    this.#marks.splice(0, index + 1);
    this.#reached = at;
    this.#steer(nowMs - mark.sentMs, mark.windowBytes);
    return true;
  }

  /** Little that fits the window needs no steering: only enough marks to know that it has gone. */
  #stepBytes(waitingBytes: number): number {
    if (waitingBytes <= this.#bytes) return this.#bytes / 2;
    return Math.min(MAX_STEP_BYTES, Math.max(MIN_STEP_BYTES, this.#bytes / 8));
  }

  #steer(tookMs: number, windowBytes: number | null): void {
    if (windowBytes === null) {
      this.#idleMs = tookMs;
      return;
    }
    this.#idleMs = Math.min(this.#idleMs ?? tookMs, tookMs);
    const factor = Math.min(2, Math.max(0.5, (this.#idleMs + QUEUE_MS) / Math.max(tookMs, 0.001)));
    // A sender that had no use for all of it learned nothing about more.
    if (factor > 1 && !this.#wasFull) return;
    this.#wasFull = false;
    // From what was under way then: several marks that tell the same do not add up.
    this.#bytes = Math.min(MAX_BYTES, Math.max(MIN_BYTES, Math.round(windowBytes * factor)));
  }
}

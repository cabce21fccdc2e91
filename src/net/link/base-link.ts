import { HIGH_WATER_BYTES, type Link, LOW_WATER_BYTES, MAX_FRAME_BYTES, type TransportStats } from './link.ts';

/** What may arrive before the link's user listens. A peer that waits for answers never has this much on its way. */
const MAX_EARLY_BYTES = HIGH_WATER_BYTES;

export const CLOSED_HERE = 'closed on this side';
export const CLOSED_THERE = 'closed by the other side';

/**
 * What all links do alike: frames and the end that come before their handlers are set wait for them, in order;
 * the end is told once, and never from within a call of the user; a frame over the limit ends the link.
 */
export abstract class BaseLink implements Link {
  onLow: () => void = () => {};
  #onFrame: ((frame: ArrayBuffer) => void) | null = null;
  #onClose: ((reason: string) => void) | null = null;
  #early: ArrayBuffer[] = [];
  #earlyBytes = 0;
  #endReason: string | null = null;
  /** Frames that the transport took and brought. */
  protected readonly counts = { messagesSent: 0, messagesReceived: 0, bytesSent: 0, bytesReceived: 0 };
  /** Of these, those of users before the present one. */
  #before = { ...this.counts };

  abstract readonly bufferedBytes: number;
  abstract send(frame: ArrayBuffer): void;
  /** Ends the link; the other side is told the reason where the transport can carry one. */
  abstract close(reason?: string): void;
  /** The user has had this many received bytes. */
  protected abstract taken(bytes: number): void;

  get onFrame(): (frame: ArrayBuffer) => void {
    return this.#onFrame ?? (() => {});
  }
  set onFrame(handler: (frame: ArrayBuffer) => void) {
    this.#onFrame = handler;
    queueMicrotask(() => this.#flush());
  }

  get onClose(): (reason: string) => void {
    return this.#onClose ?? (() => {});
  }
  set onClose(handler: (reason: string) => void) {
    this.#onClose = handler;
    queueMicrotask(() => this.#flush());
  }

  get isEnded(): boolean {
    return this.#endReason !== null;
  }

  /** Ends one user's part: what comes now waits for the next user, whose stats leave out what was carried before. */
  handOver(): void {
    this.#before = { ...this.counts };
    this.#before.messagesReceived -= this.#early.length;
    this.#before.bytesReceived -= this.#earlyBytes;
    this.#onFrame = null;
    this.#onClose = null;
  }

  /** The present user's share of what the transport counted. */
  protected sinceHandOver(stats: TransportStats): TransportStats {
    const share = { ...stats };
    for (const key of Object.keys(this.#before) as (keyof typeof this.counts)[]) {
      share[key] = Math.max(0, stats[key] - this.#before[key]);
    }
    return share;
  }

  /** The transport takes a frame. */
  protected countSent({ byteLength }: ArrayBuffer): void {
    this.counts.messagesSent += 1;
    this.counts.bytesSent += byteLength;
  }

  /** A frame came from the transport. */
  protected deliver(frame: ArrayBuffer): void {
    const bytes = frame.byteLength;
    if (this.isEnded) return;
    this.counts.messagesReceived += 1;
    this.counts.bytesReceived += bytes;
    if (bytes > MAX_FRAME_BYTES) {
      this.close(`a frame of ${bytes} bytes came, at most ${MAX_FRAME_BYTES} are allowed`);
    } else if (this.#onFrame !== null && this.#early.length === 0) {
      this.#hand(this.#onFrame, frame);
    } else if (this.#earlyBytes + bytes > MAX_EARLY_BYTES) {
      this.close(`nobody took the first ${MAX_EARLY_BYTES} bytes`);
    } else {
      this.#early.push(frame);
      this.#earlyBytes += bytes;
    }
  }

  /** The link is over; false if it was already. What came before is still handed out unless `isLocal`. */
  protected end(reason: string, isLocal: boolean): boolean {
    if (this.isEnded) return false;
    this.#endReason = reason;
    if (isLocal) this.#early = [];
    queueMicrotask(() => this.#flush());
    return true;
  }

  #hand(handler: (frame: ArrayBuffer) => void, frame: ArrayBuffer): void {
    const bytes = frame.byteLength;
    handler(frame);
    this.taken(bytes);
  }

  #flush(): void {
    const [frame] = this.#early;
    if (frame !== undefined) {
      if (this.#onFrame === null) return;
      this.#early.shift();
      this.#earlyBytes -= frame.byteLength;
      queueMicrotask(() => this.#flush());
      this.#hand(this.#onFrame, frame);
    } else if (this.#endReason !== null && this.#onClose !== null) {
      const tell = this.#onClose;
      this.#onClose = null;
      tell(this.#endReason);
    }
  }
}

/** A link whose other side says how many bytes it has taken. */
export abstract class CreditLink extends BaseLink {
  #bufferedBytes = 0;

  get bufferedBytes(): number {
    return this.isEnded ? 0 : this.#bufferedBytes;
  }

  protected charge(bytes: number): void {
    this.#bufferedBytes += bytes;
  }

  protected credit(bytes: number): void {
    const before = this.#bufferedBytes;
    this.#bufferedBytes -= bytes;
    const isNowLow = before > LOW_WATER_BYTES && this.#bufferedBytes <= LOW_WATER_BYTES;
    if (isNowLow && !this.isEnded) this.onLow();
  }
}

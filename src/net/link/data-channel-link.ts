import { BaseLink, CLOSED_HERE } from './base-link.ts';
import { type CountedLink, HIGH_WATER_BYTES, LOW_WATER_BYTES, type TransportStats } from './link.ts';

/** ICE says 'disconnected' after a few lost probes, and often recovers by itself. */
const DISCONNECTED_GRACE_MS = 3000;
/** How long a closing channel may take to flush and tell the other side before the connection goes down with it. */
const LINGER_MS = 1000;

/**
 * A link over an open, ordered, reliable data channel of any runtime. Frames that the channel has no room for wait here.
 * `onGone` is called once, when the connection may go.
 */
export abstract class DataChannelLink extends BaseLink implements CountedLink {
  readonly #onGone: () => void;
  #queue: ArrayBuffer[] = [];
  #queuedBytes = 0;
  #isGone = false;
  /** Of the grace while the link is open, of the linger once it is closed. */
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onGone: () => void) {
    super();
    this.#onGone = onGone;
  }

  abstract stats(): Promise<TransportStats>;
  /** What the channel itself has buffered. */
  protected abstract readonly channelBytes: number;
  protected abstract readonly isChannelOpen: boolean;
  /** Hands a frame to the channel; throws if it takes none. */
  protected abstract write(frame: ArrayBuffer): void;
  protected abstract closeChannel(): void;
  /** The last moment before the connection goes. */
  protected gone(): void {}
  protected taken(): void {}

  get bufferedBytes(): number {
    return this.isEnded ? 0 : this.channelBytes + this.#queuedBytes;
  }

  send(frame: ArrayBuffer): void {
    if (this.isEnded) return;
    if (this.#queue.length > 0 || this.channelBytes >= HIGH_WATER_BYTES) {
      this.#queue.push(frame);
      this.#queuedBytes += frame.byteLength;
    } else {
      this.#write(frame);
    }
  }

  close(reason = CLOSED_HERE): void {
    if (!this.#finish(reason, true)) return;
    this.#timer = setTimeout(() => this.#go(), LINGER_MS);
    this.closeChannel();
  }

  /** Ends at once, whatever is on its way. */
  abandon(): void {
    this.close();
    this.#go();
  }

  /** The channel or the connection is gone, whoever ended it. */
  lost(reason: string): void {
    this.#finish(reason, false);
    this.#go();
  }

  /** The channel has room again. */
  protected drain(): void {
    while (!this.isEnded && this.channelBytes < HIGH_WATER_BYTES) {
      const frame = this.#queue.shift();
      if (frame === undefined) break;
      this.#queuedBytes -= frame.byteLength;
      this.#write(frame);
    }
    if (!this.isEnded && this.bufferedBytes <= LOW_WATER_BYTES) this.onLow();
  }

  /** The connection's state is this now. */
  protected watch(state: string): void {
    if (state === 'failed' || state === 'closed') return this.lost('the connection failed');
    if (this.isEnded) return;
    clearTimeout(this.#timer);
    if (state !== 'disconnected') return;
    this.#timer = setTimeout(() => this.lost('the other side stopped answering'), DISCONNECTED_GRACE_MS);
  }

  #write(frame: ArrayBuffer): void {
    try {
      this.write(frame);
      this.countSent(frame);
    } catch (error) {
      // A channel that is closing says so by itself; any other refusal breaks the order of frames.
      if (this.isChannelOpen) this.close(`the channel refused a frame: ${String(error)}`);
    }
  }

  #finish(reason: string, isLocal: boolean): boolean {
    if (!this.end(reason, isLocal)) return false;
    clearTimeout(this.#timer);
    this.#queue = [];
    this.#queuedBytes = 0;
    return true;
  }

  #go(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    clearTimeout(this.#timer);
    this.gone();
    this.#onGone();
  }
}

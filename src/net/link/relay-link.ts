import { CLOSED_HERE, CLOSED_THERE, CreditLink } from './base-link.ts';
import { type CountedLink, HIGH_WATER_BYTES, type TransportStats } from './link.ts';
import type { OpenSocket, RelaySocket } from './relay-socket.ts';

/** What is on its way and not yet taken by the other end; more waits here, not in the relay. */
const WINDOW_BYTES = HIGH_WATER_BYTES;

/**
 * A link through the relay, for where no data channel opens: frames are binary messages, and the receiver says in text how
 * many bytes it has taken. What it carries passes the relay in the clear (but for TLS on the way to it).
 */
export class RelayLink extends CreditLink implements CountedLink {
  readonly #socket: RelaySocket;
  readonly #queue: ArrayBuffer[] = [];
  #inFlightBytes = 0;
  #roundTripMs: number | null = null;
  /** The frame whose credit is timed: when it left, and how many bytes are to be taken before and with it. */
  #timed: { atMs: number; leftBytes: number } | null = null;

  constructor(socket: RelaySocket) {
    super();
    this.#socket = socket;
  }

  /** A link through the relay's socket at this address; rejects where that does not open, or with the signal's reason. */
  static open(openSocket: OpenSocket, url: string, signal: AbortSignal): Promise<RelayLink> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      let link: RelayLink | null = null;
      const socket = openSocket(url, {
        onOpen() {
          signal.removeEventListener('abort', giveUp);
          link = new RelayLink(socket);
          resolve(link);
        },
        onMessage: (data) => link?.hear(data),
        onClose: (reason) => (link === null ? giveUp(reason) : link.lost(reason)),
      });
      const giveUp = (reason: unknown): void => {
        socket.close('');
        reject(signal.aborted ? signal.reason : new Error(String(reason) || 'the relay refused the connection'));
      };
      signal.addEventListener('abort', giveUp);
    });
  }

  send(frame: ArrayBuffer): void {
    if (this.isEnded) return;
    this.charge(frame.byteLength);
    this.#queue.push(frame);
    this.#drain();
  }

  close(reason = CLOSED_HERE): void {
    if (this.#finish(reason, true)) this.#socket.close(reason === CLOSED_HERE ? CLOSED_THERE : reason);
  }

  async stats(): Promise<TransportStats> {
    // Nobody tells what TCP and TLS add.
    const wire = { wireBytesSent: null, wireBytesReceived: null };
    return this.sinceHandOver({ ...this.counts, ...wire, roundTripMs: this.#roundTripMs });
  }

  protected taken(bytes: number): void {
    if (!this.isEnded) this.#socket.send(String(bytes));
  }

  /** The socket brought this. */
  hear(data: unknown): void {
    if (this.isEnded) return;
    if (data instanceof ArrayBuffer) return this.deliver(data);
    const bytes = typeof data === 'string' && /^\d{1,7}$/.test(data) ? Number(data) : Number.POSITIVE_INFINITY;
    if (bytes > this.#inFlightBytes) return this.close('the other side took more than it was sent');
    this.#inFlightBytes -= bytes;
    if (this.#timed !== null) {
      this.#timed.leftBytes -= bytes;
      if (this.#timed.leftBytes <= 0) {
        this.#roundTripMs = performance.now() - this.#timed.atMs;
        this.#timed = null;
      }
    }
    this.#drain();
    this.credit(bytes);
  }

  /** The socket is gone. */
  lost(reason: string): void {
    this.#finish(reason === '' ? CLOSED_THERE : reason, false);
  }

  #drain(): void {
    while (this.#inFlightBytes < WINDOW_BYTES) {
      const frame = this.#queue.shift();
      if (frame === undefined) return;
      this.#inFlightBytes += frame.byteLength;
      this.countSent(frame);
      this.#timed ??= { atMs: performance.now(), leftBytes: this.#inFlightBytes };
      this.#socket.send(frame);
    }
  }

  #finish(reason: string, isLocal: boolean): boolean {
    this.#queue.length = 0;
    return this.end(reason, isLocal);
  }
}

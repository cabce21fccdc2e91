import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';

/** Beyond this much in the relay's memory, the sender of one direction is no longer read. */
const HIGH_BYTES = 256 * 1024;
/** How long a worker waits for its host to come to the other end. */
const MEET_MS = 10_000;
/** Text carries only the receiver's credit, as a number. */
const MAX_TEXT_BYTES = 16;

interface Waiting {
  readonly worker: WebSocket;
  readonly timer: NodeJS.Timeout;
}

/** Joins a worker's WebSocket and its host's, and carries frames between them in bounded memory. */
export class RelayedLinks {
  readonly #waiting = new Map<string, Waiting>();

  /** A worker is here; gives the name under which its host may meet it. */
  wait(worker: WebSocket): string {
    const link = randomBytes(16).toString('hex');
    worker.pause();
    const timer = setTimeout(() => {
      this.#waiting.delete(link);
      worker.close(1013, 'the host did not come');
    }, MEET_MS);
    // A paused socket reports no close until it is read again; the timer sees to it then.
    worker.once('close', () => {
      if (this.#waiting.delete(link)) clearTimeout(timer);
    });
    this.#waiting.set(link, { worker, timer });
    return link;
  }

  isWaiting(link: string): boolean {
    return this.#waiting.has(link);
  }

  /** The host came for the worker that waits under this name. */
  meet(link: string, host: WebSocket): void {
    const waiting = this.#waiting.get(link);
    if (waiting === undefined) return host.close(1013, 'the worker is gone');
    this.#waiting.delete(link);
    clearTimeout(waiting.timer);
    pump(waiting.worker, host);
    pump(host, waiting.worker);
    waiting.worker.resume();
  }

  /** Waits no more; the sockets are their owner's to end. */
  close(): void {
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
  }
}

/** Carries what comes from one socket to the other. A socket that is not read pushes back on its sender through TCP. */
function pump(from: WebSocket, to: WebSocket): void {
  from.on('close', (_, reason) => {
    // What was sent before the end is still written before the close frame.
    to.resume();
    to.close(1000, reason.subarray(0, 100));
  });
  from.on('message', (data: Buffer, isBinary) => {
    if (!isBinary && data.length > MAX_TEXT_BYTES) return from.close(1008, 'text too long');
    to.send(data, { binary: isBinary }, () => {
      if (from.isPaused && to.bufferedAmount < HIGH_BYTES / 2) from.resume();
    });
    if (to.bufferedAmount > HIGH_BYTES) from.pause();
  });
}

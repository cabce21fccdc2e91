import { FrameError } from '../core/frame.ts';
import { Inbox, type Received } from '../core/inbox.ts';
import { Outbox } from '../core/outbox.ts';
import type { Kind } from '../core/protocol.ts';
import type { Traffic } from '../core/traffic.ts';
import { HIGH_WATER_BYTES, type Link } from './link.ts';

/** Enough for every message without numbers. */
export const CONTROL_BYTES = 65_536;

export interface MessengerHandlers {
  onMessage(message: Received): void;
  /** The peer sent something that is not our protocol; the link is still open, to say so. */
  onGarbled(reason: string): void;
  onClose(reason: string): void;
}

/** Messages over a link: cuts them into frames as the link has room, and puts received ones back together. */
export class Messenger {
  readonly #link: Link;
  readonly #outbox = new Outbox();
  readonly #inbox = new Inbox(CONTROL_BYTES);
  #isGarbled = false;

  constructor(link: Link, handlers: MessengerHandlers) {
    this.#link = link;
    link.onFrame = (frame) => this.#accept(frame, handlers);
    link.onLow = () => this.#pump();
    link.onClose = handlers.onClose;
  }

  /** Queues a message; its body must not change until it was sent. */
  send(kind: Kind, run: number, head: object, body?: Uint8Array): void {
    this.#outbox.push(kind, run, head, body);
    this.#pump();
  }

  /** Allows messages that carry this many bytes of numbers. */
  expectBodyBytes(bytes: number): void {
    this.#inbox.maxBytes = CONTROL_BYTES + bytes;
  }

  get traffic(): Traffic {
    return { sent: this.#outbox.tally.counts, received: this.#inbox.tally.counts };
  }

  close(): void {
    this.#link.close();
  }

  #accept(frame: ArrayBuffer, handlers: MessengerHandlers): void {
    if (this.#isGarbled) return;
    let message: Received | null;
    try {
      message = this.#inbox.accept(frame);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.#isGarbled = true;
      return handlers.onGarbled(error.message);
    }
    if (message) handlers.onMessage(message);
  }

  #pump(): void {
    while (this.#link.bufferedBytes < HIGH_WATER_BYTES) {
      const frame = this.#outbox.next();
      if (!frame) return;
      this.#link.send(frame);
    }
  }
}

import { FrameError } from '../../core/wire/frame.ts';
import { Inbox, type Received } from '../../core/wire/inbox.ts';
import { Outbox } from '../../core/wire/outbox.ts';
import type { Kind } from '../../core/wire/protocol.ts';
import type { Traffic } from '../../core/wire/traffic.ts';
import { HIGH_WATER_BYTES, type Link } from './link.ts';
import { SendWindow } from './send-window.ts';

/** Enough for every message without numbers. */
export const CONTROL_BYTES = 65_536;

export interface MessengerHandlers {
  onMessage(message: Received): void;
  /** The peer sent something that is not our protocol; the link is still open, to say so. */
  onGarbled(reason: string): void;
  onClose(reason: string): void;
  /** Of messages over one MiB, each MiB: how much was cut for sending, or has come. */
  onProgress?(direction: 'sent' | 'received', doneBytes: number, totalBytes: number): void;
}

/** Messengers ask each other how far the bytes of long messages have come: `mark` is answered with `reached`. */
interface Flow {
  readonly type: 'mark' | 'reached';
  /** Bytes of long messages sent before the mark. From a peer it may be anything until it is checked. */
  readonly at: number;
}

/**
 * Messages over a link: cuts them into frames as the link has room, and puts received ones back together. Of long messages
 * only as much is under way as its window allows: what a stalled receiver, or anything between, must hold is bounded.
 */
export class Messenger {
  readonly #link: Link;
  readonly #handlers: MessengerHandlers;
  readonly #outbox: Outbox;
  readonly #inbox: Inbox;
  readonly #window = new SendWindow();
  /** The last mark of the peer, if it is not answered: one answer is enough for all before. */
  #owed: number | null = null;
  #isGarbled = false;

  constructor(link: Link, handlers: MessengerHandlers) {
    this.#link = link;
    this.#handlers = handlers;
    this.#outbox = new Outbox((done, total) => handlers.onProgress?.('sent', done, total));
    this.#inbox = new Inbox(CONTROL_BYTES, (done, total) => handlers.onProgress?.('received', done, total));
    link.onFrame = (frame) => this.#accept(frame);
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

  #accept(frame: ArrayBuffer): void {
    if (this.#isGarbled) return;
    let message: Received | null;
    try {
      message = this.#inbox.accept(frame);
      if (message && isFlow(message.head)) return this.#flow(message.head);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.#isGarbled = true;
      return this.#handlers.onGarbled(error.message);
    }
    if (message) this.#handlers.onMessage(message);
  }

  #flow({ type, at }: Flow): void {
    if (!Number.isSafeInteger(at) || at < 0) throw new FrameError(`a ${type} without a place`);
    if (type === 'mark') this.#owed = at;
    else if (!this.#window.reached(at, performance.now()))
      throw new FrameError(`mark ${at} was reached but never sent`);
    this.#pump();
  }

  #pump(): void {
    while (this.#link.bufferedBytes < HIGH_WATER_BYTES) {
      this.#queueFlow();
      const before = this.#outbox.waitingLongBytes;
      const frame = this.#outbox.next(before > 0 && this.#window.hasRoom());
      if (!frame) return;
      this.#window.sent(before - this.#outbox.waitingLongBytes);
      this.#link.send(frame);
    }
  }

  #queueFlow(): void {
    if (this.#owed !== null) this.#tell({ type: 'reached', at: this.#owed });
    this.#owed = null;
    const at = this.#window.nextMark(this.#outbox.waitingLongBytes, performance.now());
    if (at !== null) this.#tell({ type: 'mark', at });
  }

  #tell(flow: Flow): void {
    this.#outbox.push('control', 0, flow);
  }
}

const isFlow = (head: unknown): head is Flow =>
  typeof head === 'object' && head !== null && 'type' in head && (head.type === 'mark' || head.type === 'reached');

import { FrameError, type FrameHeader, readFrame } from './frame.ts';
import { decodeMessage, type Message } from './message.ts';
import { isMilestone, type OnProgress } from './milestone.ts';
import type { Kind } from './protocol.ts';
import { TallyCounter } from './traffic.ts';

export interface Received extends Message {
  readonly run: number;
  readonly kind: Kind;
}

interface Slot {
  readonly header: FrameHeader;
  readonly bytes: Uint8Array;
  filled: number;
}

/**
 * Turns one link's frames back into messages. Holds at most one unfinished message of at most `maxBytes`;
 * a message of one frame needs no slot and may overtake the unfinished one.
 */
export class Inbox {
  readonly tally = new TallyCounter();
  /** The longest message allowed; raised once the size of the model is known. */
  maxBytes: number;
  #slot: Slot | null = null;
  readonly #onProgress: OnProgress;

  /** `onProgress` is called for messages over one MiB. */
  constructor(maxBytes: number, onProgress: OnProgress = () => {}) {
    this.maxBytes = maxBytes;
    this.#onProgress = onProgress;
  }

  /** The message this frame completes, or null. Throws FrameError when the peer cannot be trusted any further. */
  accept(buffer: ArrayBuffer): Received | null {
    const { payload, ...header } = readFrame(buffer);
    this.tally.add(header.kind, buffer.byteLength);
    if (header.totalBytes > this.maxBytes) {
      throw new FrameError(`a message of ${header.totalBytes} bytes where at most ${this.maxBytes} were expected`);
    }
    if (payload.length === header.totalBytes) return this.#finish(header, payload);
    if (header.offset === 0) {
      if (this.#slot) throw new FrameError('a second long message before the first was complete');
      this.#slot = { header, bytes: new Uint8Array(header.totalBytes), filled: 0 };
    }
    const slot = this.#slot;
    if (!slot) throw new FrameError('the middle of a message without its start');
    if (header.sequence !== slot.header.sequence || header.totalBytes !== slot.bytes.length) {
      throw new FrameError('frames of two long messages are mixed');
    }
    if (header.offset !== slot.filled) throw new FrameError('a frame of a long message is missing');
    slot.bytes.set(payload, header.offset);
    slot.filled += payload.length;
    if (isMilestone(slot.filled, payload.length, slot.bytes.length)) this.#onProgress(slot.filled, slot.bytes.length);
    if (slot.filled < slot.bytes.length) return null;
    this.#slot = null;
    return this.#finish(slot.header, slot.bytes);
  }

  #finish(header: FrameHeader, bytes: Uint8Array): Received {
    try {
      return { ...decodeMessage(bytes), run: header.run, kind: header.kind };
    } catch (error) {
      throw new FrameError(`an unreadable message: ${error instanceof Error ? error.message : error}`);
    }
  }
}

import { MAX_PAYLOAD_BYTES, writeFrame } from './frame.ts';
import { encodeHead, NO_BODY } from './message.ts';
import { isMilestone, type OnProgress } from './milestone.ts';
import type { Kind } from './protocol.ts';
import { TallyCounter } from './traffic.ts';

interface Outgoing {
  readonly kind: Kind;
  readonly run: number;
  readonly sequence: number;
  readonly head: Uint8Array;
  readonly body: Uint8Array;
  readonly totalBytes: number;
  offset: number;
}

/**
 * Cuts one link's messages into frames, one at a time, as the link has room. A message that fits one frame
 * goes before the rest of a long one, so that a large model does not hold up small messages.
 */
export class Outbox {
  readonly tally = new TallyCounter();
  #sequence = 0;
  #short: Outgoing[] = [];
  #long: Outgoing[] = [];
  #waitingLongBytes = 0;
  readonly #onProgress: OnProgress;

  /** `onProgress` is called for messages over one MiB. */
  constructor(onProgress: OnProgress = () => {}) {
    this.#onProgress = onProgress;
  }

  /** Bytes of long messages, without headers, that `next` has not returned yet. */
  get waitingLongBytes(): number {
    return this.#waitingLongBytes;
  }

  /** Queues a message. The body is read when frames are cut: it must not change until then. */
  push(kind: Kind, run: number, head: object, body: Uint8Array = NO_BODY): void {
    const encoded = encodeHead(head);
    const totalBytes = encoded.length + body.length;
    this.#sequence = (this.#sequence + 1) >>> 0;
    const message = { kind, run, sequence: this.#sequence, head: encoded, body, totalBytes, offset: 0 };
    const isShort = totalBytes <= MAX_PAYLOAD_BYTES;
    (isShort ? this.#short : this.#long).push(message);
    if (!isShort) this.#waitingLongBytes += totalBytes;
  }

  /** The next frame to send; null when everything was cut, or all that is left is long and `allowsLong` is false. */
  next(allowsLong = true): ArrayBuffer | null {
    const lane = this.#short.length > 0 || !allowsLong ? this.#short : this.#long;
    const message = lane[0];
    if (!message) return null;
    const { head, body, offset } = message;
    const bytes = Math.min(MAX_PAYLOAD_BYTES, message.totalBytes - offset);
    const frame = writeFrame(message, bytes, (payload) => {
      const headPart = head.subarray(offset, offset + bytes);
      payload.set(headPart);
      const bodyAt = offset + headPart.length - head.length;
      payload.set(body.subarray(bodyAt, bodyAt + bytes - headPart.length), headPart.length);
    });
    message.offset += bytes;
    if (lane === this.#long) {
      this.#waitingLongBytes -= bytes;
      if (isMilestone(message.offset, bytes, message.totalBytes)) this.#onProgress(message.offset, message.totalBytes);
    }
    if (message.offset === message.totalBytes) lane.shift();
    this.tally.add(message.kind, frame.byteLength);
    return frame;
  }
}

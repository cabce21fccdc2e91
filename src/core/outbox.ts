import { MAX_PAYLOAD_BYTES, writeFrame } from './frame.ts';
import { encodeHead, NO_BODY } from './message.ts';
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

  /** Queues a message. The body is read when frames are cut: it must not change until then. */
  push(kind: Kind, run: number, head: object, body: Uint8Array = NO_BODY): void {
    const encoded = encodeHead(head);
    const totalBytes = encoded.length + body.length;
    this.#sequence = (this.#sequence + 1) >>> 0;
    const message = { kind, run, sequence: this.#sequence, head: encoded, body, totalBytes, offset: 0 };
    (totalBytes <= MAX_PAYLOAD_BYTES ? this.#short : this.#long).push(message);
  }

  /** The next frame to send, or null when everything was cut. */
  next(): ArrayBuffer | null {
    const lane = this.#short.length > 0 ? this.#short : this.#long;
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
    if (message.offset === message.totalBytes) lane.shift();
    this.tally.add(message.kind, frame.byteLength);
    return frame;
  }
}

import type { Rng } from '../rng.ts';
import type { Codec } from './codec.ts';

interface Memory {
  /** What all applied messages left out. */
  readonly residual: Float32Array;
  /** The residual and the values of the message that waits for its verdict. */
  readonly offered: Float32Array;
  /** A copy of that message: the one that was returned may have been transferred. */
  readonly message: Uint8Array;
}

/**
 * Encodes one message after another so that nothing is lost: what a message left out is added to the next once the
 * message was applied. A message that was not applied changes nothing. Codecs that need none of it pass straight through.
 */
export class ErrorFeedback {
  readonly #codec: Codec;
  readonly #size: number;
  readonly #memory: Memory | null;
  #isPending = false;

  constructor(codec: Codec, size: number) {
    this.#codec = codec;
    this.#size = size;
    this.#memory = codec.needsFeedback
      ? {
          residual: new Float32Array(size),
          offered: new Float32Array(size),
          message: new Uint8Array(codec.bytesFor(size)),
        }
      : null;
  }

  /** The next message. Every message must be settled before the next is encoded. */
  encode(values: Float32Array, random: Rng): Uint8Array {
    if (values.length !== this.#size) throw new RangeError(`expected ${this.#size} numbers, got ${values.length}`);
    if (!this.#memory) return this.#codec.encode(values, random);
    if (this.#isPending) throw new Error('the last message is not settled: call settle before the next encode');
    const { residual, offered, message } = this.#memory;
    for (let i = 0; i < offered.length; i++) offered[i] = (residual[i] as number) + (values[i] as number);
    const bytes = this.#codec.encode(offered, random);
    message.set(bytes);
    this.#isPending = true;
    return bytes;
  }

  /** Tells what became of the last message. Without one that waits it does nothing. */
  settle(wasApplied: boolean): void {
    const isNew = this.#isPending && wasApplied;
    this.#isPending = false;
    if (!this.#memory || !isNew) return;
    const { residual, offered, message } = this.#memory;
    const received = this.#codec.decode(message, residual);
    for (let i = 0; i < residual.length; i++) residual[i] = (offered[i] as number) - (received[i] as number);
  }
}

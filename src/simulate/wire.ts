import { type Codec, codecNamed } from '../core/math/codec/codec.ts';
import { HEADER_BYTES, MAX_PAYLOAD_BYTES } from '../core/wire/frame.ts';
import type { ToHost, ToPeer, ToWorker } from '../core/wire/protocol.ts';
import type { Experiment } from '../experiment/experiment.ts';

/** The bytes of a message on the wire, as `Outbox` would cut it: head, body, and a header for each frame. */
export function wireBytes(headLength: number, bodyBytes: number): number {
  const total = ((4 + headLength + 3) & ~3) + bodyBytes;
  return total + HEADER_BYTES * Math.max(1, Math.ceil(total / MAX_PAYLOAD_BYTES));
}

const digits = (value: number): number => (value < 10 ? 1 : 1 + Math.floor(Math.log10(value)));

/**
 * How long messages are, for a model of `parameters` numbers of which only `size` are computed: bodies are counted as if
 * they had all of them.
 */
export class Wire {
  readonly #isPadded: boolean;
  readonly #parameters: number;
  readonly #growth: number;
  readonly #up: Codec;
  readonly #upBytes: number;
  readonly #downBytes: number;
  readonly #isKept: boolean;
  /** The heads of one broadcast are all alike: the last, and its length. */
  #last: { readonly key: unknown; readonly length: number } = { key: null, length: 0 };

  constructor({ up, down, topk, strategy }: Experiment, size: number, parameters: number) {
    this.#isPadded = parameters !== size;
    this.#parameters = parameters;
    this.#growth = parameters / size;
    this.#up = codecNamed(up, topk);
    this.#upBytes = this.#up.bytesFor(parameters);
    this.#downBytes = codecNamed(down, topk).bytesFor(parameters);
    this.#isKept = strategy === 'allreduce';
  }

  /** From a worker to the host. */
  toHost(message: ToHost, body: Uint8Array | null): number {
    const bodyBytes = body === null ? 0 : message.type === 'push' ? this.#upBytes : this.#state(body);
    return wireBytes(JSON.stringify(message).length, bodyBytes);
  }

  /** From the host to a worker; `body` is what goes with it. */
  toWorker(message: ToWorker, body: Uint8Array | null): number {
    const bodyBytes = body === null ? 0 : this.#isKept ? this.#state(body) : this.#downBytes;
    return wireBytes(this.#headLength(message), bodyBytes);
  }

  /** From one worker to another of a ring of `members`. */
  toPeer(message: ToPeer, body: Uint8Array, members: number): number {
    if (message.type === 'state') return wireBytes(JSON.stringify(message).length, this.#state(body));
    // A thousand workers send two million slices a round: their heads are counted, not written.
    const headLength = SLICE_LENGTH + digits(message.run) + digits(message.ring) + digits(message.step);
    const numbers = Math.round((this.#parameters + 1) / members);
    return wireBytes(headLength, this.#isPadded ? this.#up.bytesFor(numbers) : body.length);
  }

  #headLength(message: ToWorker): number {
    const key = message.type === 'ring' ? message.members : message.type === 'progress' ? message.version : null;
    if (key === null) return JSON.stringify(message).length;
    if (this.#last.key !== key) this.#last = { key, length: JSON.stringify(message).length };
    return this.#last.length;
  }

  #state(body: Uint8Array): number {
    return Math.round(body.length * this.#growth);
  }
}

const SLICE_LENGTH = JSON.stringify({ type: 'slice', run: 0, ring: 0, step: 0 } satisfies ToPeer).length - 3;

import type { Codec } from '../math/codec/codec.ts';
import { boundedNorm, GRADIENT_BOUND } from '../math/params.ts';
import type { Rng } from '../math/rng.ts';

export interface RingOptions {
  /** Everyone in the ring, in its order, the same at all members. */
  readonly members: readonly number[];
  /** Which of the members this is. */
  readonly self: number;
  /** How many numbers the vectors have. */
  readonly size: number;
  /** How slices are encoded. Not one that leaves numbers out of partial sums for good (`needsFeedback`). */
  readonly codec: Codec;
  readonly random: Rng;
}

/** Bytes for the successor, which passes them to `receive` with this step. */
export interface Outgoing {
  readonly step: number;
  readonly bytes: Uint8Array;
}

type State =
  | { readonly kind: 'waiting' }
  /** `next` is the step to be received; all steps up to it were sent. */
  | { readonly kind: 'running'; readonly vector: Float32Array; readonly scratch: Float32Array; next: number }
  | { readonly kind: 'done'; readonly sum: Float32Array };

/**
 * One member's part in adding up one vector per member: each slice goes round twice, first gathering everyone's numbers
 * (steps 0 … n − 2), then as the finished sum (steps n − 1 … 2n − 3). The sum is the same to the bit at all members,
 * whatever the codec. A RangeError is the predecessor's fault and the end of this reduction.
 *
 * In step s the member of rank r sends slice r − s and receives slice r − s − 1, which it sends in step s + 1.
 */
export class RingReduce {
  readonly successor: number;
  readonly predecessor: number;
  /** Exactly how many bytes this member sends in all. */
  get bytesToSend(): number {
    let bytes = 0;
    for (let step = 0; step < this.#steps; step++) bytes += this.#bytesAt(step);
    return bytes;
  }

  readonly #options: RingOptions;
  readonly #rank: number;
  readonly #early = new Map<number, Uint8Array>();
  #state: State = { kind: 'waiting' };

  constructor(options: RingOptions) {
    const { members, self, codec } = options;
    const rank = members.indexOf(self);
    if (rank < 0 || new Set(members).size !== members.length) {
      throw new RangeError(`expected different members, ${self} among them, got ${members.join(', ')}`);
    }
    if (codec.needsFeedback) throw new RangeError(`${codec.name} would lose part of every partial sum: use another`);
    this.#options = options;
    this.#rank = rank;
    this.successor = members[(rank + 1) % members.length] as number;
    this.predecessor = members.at(rank - 1) as number;
  }

  /** The vectors of all members added up; null until that is done. */
  get sum(): Float32Array | null {
    return this.#state.kind === 'done' ? this.#state.sum : null;
  }

  /** Adds this member's vector, which belongs to the ring from now on and becomes the sum. */
  start(vector: Float32Array): readonly Outgoing[] {
    if (this.#state.kind !== 'waiting') throw new Error('this reduction was started before: each vector needs its own');
    if (vector.length !== this.#options.size)
      throw new RangeError(`expected ${this.#options.size} numbers, got ${vector.length}`);
    if (this.#count === 1) {
      this.#state = { kind: 'done', sum: vector };
      return [];
    }
    const scratch = new Float32Array(Math.ceil(this.#options.size / this.#count));
    this.#state = { kind: 'running', vector, scratch, next: 0 };
    const first = this.#options.codec.encode(this.#slice(vector, 0), this.#options.random);
    return [{ step: 0, bytes: first }, ...this.#advance()];
  }

  /** Takes the predecessor's bytes, in any order and before `start` too. They may be sent on and must not change. */
  receive(step: number, bytes: Uint8Array): readonly Outgoing[] {
    const { kind } = this.#state;
    const next = kind === 'running' ? this.#state.next : kind === 'waiting' ? 0 : this.#steps;
    // What the predecessor sends in step s goes back to what this member sent in step s − (n − 1).
    const last = Math.min(this.#steps, next + this.#count - (kind === 'waiting' ? 1 : 0)) - 1;
    if (!Number.isInteger(step) || step < next || step > last || this.#early.has(step)) {
      const wanted = next > last ? 'no more' : `only steps ${next} to ${last}, once each`;
      throw new RangeError(`step ${step} of the ring came, ${wanted} were expected`);
    }
    const expected = this.#bytesAt(step + 1);
    if (bytes.length !== expected) {
      throw new RangeError(`expected ${expected} bytes in step ${step} of the ring, got ${bytes.length}`);
    }
    this.#early.set(step, bytes);
    return this.#advance();
  }

  get #count(): number {
    return this.#options.members.length;
  }

  get #steps(): number {
    return 2 * (this.#count - 1);
  }

  /** Where the slice sent in this step begins and ends. Slices differ by one number at most, and may be empty. */
  #bounds(step: number): readonly [number, number] {
    // step < 2n, so the dividend is positive.
    const index = (this.#rank - step + 2 * this.#count) % this.#count;
    return [
      Math.floor((index * this.#options.size) / this.#count),
      Math.floor(((index + 1) * this.#options.size) / this.#count),
    ];
  }

  #slice(vector: Float32Array, step: number): Float32Array {
    return vector.subarray(...this.#bounds(step));
  }

  #bytesAt(step: number): number {
    const [begin, end] = this.#bounds(step);
    return this.#options.codec.bytesFor(end - begin);
  }

  #advance(): Outgoing[] {
    const outgoing: Outgoing[] = [];
    while (this.#state.kind === 'running') {
      const { vector, scratch, next } = this.#state;
      const bytes = this.#early.get(next);
      if (bytes === undefined) break;
      this.#early.delete(next);
      const onward = this.#take(vector, scratch, next, bytes);
      if (next + 1 === this.#steps) {
        this.#state = { kind: 'done', sum: vector };
      } else {
        this.#state.next = next + 1;
        outgoing.push({ step: next + 1, bytes: onward });
      }
    }
    return outgoing;
  }

  /** Works a received slice into the vector; returns the bytes to send on. */
  #take(vector: Float32Array, scratch: Float32Array, step: number, bytes: Uint8Array): Uint8Array {
    const slice = this.#slice(vector, step + 1);
    // With more members than numbers, most slices are empty; they go round all the same.
    if (slice.length === 0) return bytes;
    let sum = bytes;
    if (step < this.#count - 1) {
      const partial = this.#decode(step, bytes, scratch.subarray(0, slice.length));
      for (let i = 0; i < slice.length; i++) slice[i] = (slice[i] as number) + (partial[i] as number);
      sum = this.#options.codec.encode(slice, this.#options.random);
      if (step < this.#count - 2) return sum;
    }
    // Whoever finished the sum also keeps what the others will decode, not its own exact sum.
    const decoded = this.#decode(step, sum, slice);
    if (decoded.buffer !== vector.buffer) slice.set(decoded);
    return sum;
  }

  #decode(step: number, bytes: Uint8Array, into: Float32Array): Float32Array {
    const values = this.#options.codec.decode(bytes, into);
    const bound = GRADIENT_BOUND * this.#count;
    if (boundedNorm(values, bound) !== null) return values;
    throw new RangeError(`step ${step} of the ring has numbers that are not finite or beyond ±${bound}`);
  }
}

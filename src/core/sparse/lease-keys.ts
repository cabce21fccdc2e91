import type { Codec } from '../math/codec/codec.ts';
import { Decoder } from '../math/codec/decoder.ts';
import type { Rng } from '../math/rng.ts';
import type { Lease, ToHost } from '../wire/protocol.ts';
import type { WorkerTurn } from '../worker/worker-turn.ts';
import { encodeKeys, maxKeyBytes } from './key-coding.ts';

type Push = Extract<ToHost, { type: 'push' }>;

/** A worker's side of parameters with keys: which keys its leases touch, and how keys, gradients and values are encoded. */
export class LeaseKeys {
  /** Null while they are being found. */
  readonly #found = new Map<number, Uint32Array | null>();
  readonly #up: Codec;
  readonly #down: Codec;
  readonly #turn: WorkerTurn;

  constructor(up: Codec, down: Codec, turn: WorkerTurn) {
    this.#up = up;
    this.#down = down;
    this.#turn = turn;
  }

  of(lease: number): Uint32Array | null {
    return this.#found.get(lease) ?? null;
  }

  /** Asks for the keys of these leases, each once. */
  find(leases: readonly Lease[]): void {
    for (const lease of leases) {
      if (this.#found.has(lease.id)) continue;
      this.#found.set(lease.id, null);
      this.#turn.emit({ type: 'prefetch', lease });
    }
  }

  /** The keys of a lease were found, or (null) could not be. False if they are no longer needed. */
  settle(lease: number, keys: Uint32Array | null): boolean {
    if (!this.#found.has(lease)) return false;
    if (keys) this.#found.set(lease, keys);
    else this.#found.delete(lease);
    return true;
  }

  forget(lease: number): void {
    this.#found.delete(lease);
  }

  clear(): void {
    this.#found.clear();
  }

  /** Fresh values of the lease's keys, or null if the bytes are malformed. */
  decode(lease: number, bytes: Uint8Array): Float32Array | null {
    const keys = this.of(lease);
    return keys && new Decoder(this.#down, keys.length).decode(bytes);
  }

  /** The body of a pull. */
  encode(keys: Uint32Array): Uint8Array {
    const bytes = new Uint8Array(maxKeyBytes(keys.length));
    return bytes.subarray(0, encodeKeys(keys, keys.length, bytes));
  }

  /** The body of a push: a gradient, and the keys of the next lease if they are known. */
  join(gradient: Float32Array, next: number | null, random: Rng): Pick<Push, 'next'> & { body: Uint8Array } {
    const numbers = this.#up.encode(gradient, random);
    const keys = next === null ? null : this.of(next);
    if (next === null || !keys) return { body: numbers, next: null };
    const coded = this.encode(keys);
    const body = new Uint8Array(numbers.length + coded.length);
    body.set(numbers);
    body.set(coded, numbers.length);
    return { body, next: { lease: next, count: keys.length, bytes: coded.length } };
  }
}

import type { Lease } from '../wire/protocol.ts';
import { decodeKeys } from './key-coding.ts';

/** Which keys the leases touch, as their workers said. They are kept while a lease is held, so that none are sent twice. */
export class KeySets {
  readonly #sets = new Map<number, Uint32Array>();
  readonly #size: number;
  readonly #perExample: number;

  /** For `size` parameters, of which an example touches at most so many. */
  constructor(size: number, keysPerExample: number) {
    this.#size = size;
    this.#perExample = keysPerExample;
  }

  /** How many leases' keys are remembered. */
  get size(): number {
    return this.#sets.size;
  }

  /** How many keys so many examples can touch at most. */
  maxFor(examples: number): number {
    return Math.min(this.#size, examples * this.#perExample);
  }

  /** The keys a lease touches, or null if they are not known. */
  of(lease: number): Uint32Array | null {
    return this.#sets.get(lease) ?? null;
  }

  /** Takes a stranger's keys for a lease. False if they do not rise, or are more than the lease can touch. */
  take({ id, count: examples }: Lease, count: number, bytes: Uint8Array): boolean {
    if (count < 1 || count > this.maxFor(examples) || count > bytes.length) return false;
    const keys = new Uint32Array(count);
    try {
      decodeKeys(bytes, count, this.#size - 1, keys);
    } catch (error) {
      if (error instanceof RangeError) return false;
      throw error;
    }
    this.#sets.set(id, keys);
    return true;
  }

  forget(lease: number): void {
    this.#sets.delete(lease);
  }
}

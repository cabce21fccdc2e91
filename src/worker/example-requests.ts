import { DataError } from '../data/data-error.ts';

/** Examples that were asked of the host, by lease. */
export class ExampleRequests {
  readonly #pending = new Map<number, { resolve(bytes: Uint8Array): void; reject(error: Error): void }>();

  /** Resolves when they come; rejects with a DataError if they cannot. */
  wait(lease: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => this.#pending.set(lease, { resolve, reject }));
  }

  /** The host has answered, with the examples or with what is wrong with them. */
  settle(lease: number, bytes: Uint8Array, problem: string | null): void {
    const pending = this.#pending.get(lease);
    this.#pending.delete(lease);
    if (problem === null) pending?.resolve(bytes);
    else pending?.reject(new DataError(`The host could not read its examples: ${problem}`));
  }

  /** Nobody will answer any more. */
  drop(why: string): void {
    for (const { reject } of this.#pending.values()) reject(new DataError(`The examples did not come: ${why}.`));
    this.#pending.clear();
  }
}

import { float32 } from './float32.ts';

/** How a flat array of numbers travels. The byte length follows from the count alone, so it is checked before decoding. */
export interface Codec {
  readonly name: string;
  /** Exactly how many bytes `count` numbers take. */
  bytesFor(count: number): number;
  /** A snapshot of the values as bytes. */
  encode(values: Float32Array): Uint8Array;
  /** The numbers back. May share memory with `bytes`. Throws if the length is not `bytesFor(count)`. */
  decode(bytes: Uint8Array, count: number): Float32Array;
}

export const codecs = { float32 } as const satisfies Record<string, Codec>;

import type { CodecName } from '../../../experiment/experiment.ts';
import type { Rng } from '../rng.ts';
import { float16 } from './float16.ts';
import { float32 } from './float32.ts';
import { int8 } from './int8.ts';
import { topk } from './topk.ts';

/** How a flat array of numbers travels. The byte length follows from the count alone, so it is checked before decoding. */
export interface Codec {
  readonly name: CodecName;
  /** True if what one message leaves out must be added to the next (`ErrorFeedback`), or it is lost for good. */
  readonly needsFeedback: boolean;
  /** Exactly how many bytes `count` numbers take. */
  bytesFor(count: number): number;
  /** A snapshot of the values as bytes. Randomness is only for rounding. */
  encode(values: Float32Array, random: Rng): Uint8Array;
  /**
   * The numbers back, in `into` or sharing memory with `bytes`. Throws a RangeError if the length is not
   * `bytesFor(into.length)` or the bytes are not what `encode` makes. Takes no memory that depends on the bytes.
   */
  decode(bytes: Uint8Array, into: Float32Array): Float32Array;
}

const codecs = { float32, float16, int8 } as const satisfies Record<Exclude<CodecName, 'topk'>, Codec>;

/** Every codec there is, ready for use; `share` is the part of the numbers that top-k sends. */
export const codecNamed = (name: CodecName, share: number): Codec => (name === 'topk' ? topk(share) : codecs[name]);

import { permutation, rng } from '../core/math/rng.ts';
import { Recent } from './recent.ts';

/** The examples of endless passes over the data, each pass in its own order. */
export interface ExampleOrder {
  /** Which examples are at positions `from` … `from + length − 1`; position p is in pass ⌊p / count⌋. */
  indices(from: number, length: number): Uint32Array;
}

/** The same seed gives the same order on every machine; each pass has every example exactly once. */
export function exampleOrder(count: number, seed: number): ExampleOrder {
  if (!Number.isInteger(count) || count < 1) throw new RangeError(`an order needs at least one example, not ${count}`);
  // Leases move forward, and one may straddle a boundary: two passes are enough.
  const passes = new Recent<Uint32Array>(2);
  const orderOf = (pass: number) => passes.get(pass, () => permutation(count, rng(seed, 'order', pass)));
  return {
    indices(from, length) {
      if (!Number.isSafeInteger(from) || !Number.isSafeInteger(length) || from < 0 || length < 0) {
        throw new RangeError(`positions are whole numbers from 0, not ${from} and ${length} more`);
      }
      const result = new Uint32Array(length);
      for (let done = 0; done < length; ) {
        const start = (from + done) % count;
        const order = orderOf(Math.floor((from + done) / count));
        const part = order.subarray(start, start + length - done);
        result.set(part, done);
        done += part.length;
      }
      return result;
    },
  };
}

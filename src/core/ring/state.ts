import { boundedNorm } from '../math/params.ts';

/* Parameters and optimizer state as they travel between workers: the arrays one after another, as float32. */

/** Exactly how many bytes parameters of this size take with this many arrays of optimizer state. */
export const stateBytes = (size: number, slots: number): number => 4 * size * (1 + slots);

/** A snapshot of the arrays, which are equally long. */
export function joinState(arrays: readonly Float32Array[]): Uint8Array {
  const size = arrays[0]?.length ?? 0;
  const joined = new Float32Array(size * arrays.length);
  arrays.forEach((array, i) => {
    joined.set(array, i * size);
  });
  return new Uint8Array(joined.buffer);
}

/** Fills the arrays from a stranger's bytes. False, with nothing changed, if the bytes are malformed. */
export function splitState(bytes: Uint8Array, arrays: readonly Float32Array[]): boolean {
  const size = arrays[0]?.length ?? 0;
  if (bytes.length !== stateBytes(size, arrays.length - 1)) return false;
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const joined = new Float32Array(aligned.buffer, aligned.byteOffset, size * arrays.length);
  if (boundedNorm(joined) === null) return false;
  arrays.forEach((array, i) => {
    array.set(joined.subarray(i * size, (i + 1) * size));
  });
  return true;
}

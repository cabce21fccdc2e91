/** What moves the parameters: a number for each of them, or, where they have keys, for those at these rising keys. */
export interface Gradient {
  readonly values: Float32Array;
  readonly keys: Uint32Array | null;
}

/** The keys of a gradient that must have some. */
export function keysOf({ keys }: Gradient): Uint32Array {
  if (keys === null) throw new TypeError('a gradient for all parameters where they have keys');
  return keys;
}

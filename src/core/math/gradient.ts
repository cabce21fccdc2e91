/** What moves the parameters: a number for each of them, or, where they have keys, for those at these rising keys. */
export interface Gradient {
  readonly values: Float32Array;
  readonly keys: Uint32Array | null;
}

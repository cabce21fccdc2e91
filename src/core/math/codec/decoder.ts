import type { Codec } from './codec.ts';

/** Decodes pushes of one size, one after another, into memory that is used again. */
export class Decoder {
  readonly bytes: number;
  readonly #codec: Codec;
  readonly #size: number;
  #free: Float32Array[] = [];

  constructor(codec: Codec, size: number) {
    this.#codec = codec;
    this.#size = size;
    this.bytes = codec.bytesFor(size);
  }

  /** The numbers behind these bytes, or null if the bytes make no sense. */
  decode(bytes: Uint8Array): Float32Array | null {
    if (bytes.length !== this.bytes) return null;
    // float32 needs no other memory than the message's own.
    if (this.#codec.name === 'float32' && bytes.byteOffset % 4 === 0) {
      return new Float32Array(bytes.buffer, bytes.byteOffset, this.#size);
    }
    const into = this.#free.pop() ?? new Float32Array(this.#size);
    try {
      return this.#codec.decode(bytes, into);
    } catch (error) {
      this.#free.push(into);
      if (error instanceof RangeError) return null;
      throw error;
    }
  }

  /** The numbers are no longer needed: the next push may have their memory. */
  recycle(values: Float32Array): void {
    if (this.#codec.name !== 'float32' && values.length === this.#size) this.#free.push(values);
  }
}

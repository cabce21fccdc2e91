/** Why bytes are not the message they should be. */
export class ProtoError extends Error {
  override readonly name = 'ProtoError';
}

/** Walks over the fields of a protobuf message in place; anything that does not fit is a ProtoError. */
export class ProtoCursor {
  at: number;
  readonly end: number;
  /** Of the last `next`. */
  field = 0;
  wire = 0;
  private readonly bytes: Uint8Array;
  private readonly view: DataView;

  constructor(bytes: Uint8Array, start: number, end: number, view = new DataView(bytes.buffer, bytes.byteOffset)) {
    this.bytes = bytes;
    this.view = view;
    this.at = start;
    this.end = end;
  }

  /** Reads the head of the next field; false at the end of the message. */
  next(): boolean {
    if (this.at === this.end) return false;
    const tag = this.int64();
    if (!(tag >= 8 && tag < 2 ** 32)) throw new ProtoError(`${tag} is not the head of a field`);
    this.field = Math.floor(tag / 8);
    this.wire = tag % 8;
    return true;
  }

  /** A varint as a signed 64-bit integer; beyond 2^53 it is rounded. */
  int64(): number {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.at >= this.end) throw new ProtoError('a number is cut off');
      const byte = this.bytes[this.at++] as number;
      const bits = byte & 127;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (shift - 32);
      if (byte < 128) return high * 2 ** 32 + (low >>> 0);
    }
    throw new ProtoError('a number has more than 10 bytes');
  }

  /** The bytes of a field of wire type 2, as a message of its own. */
  message(): ProtoCursor {
    const length = this.int64();
    const start = this.at;
    if (length < 0 || length > this.end - start) throw new ProtoError(`a part of ${length} bytes is cut off`);
    this.at = start + length;
    return new ProtoCursor(this.bytes, start, this.at, this.view);
  }

  float(): number {
    if (this.end - this.at < 4) throw new ProtoError('a float is cut off');
    this.at += 4;
    return this.view.getFloat32(this.at - 4, true);
  }

  /** Passes over the value of a field that is not wanted. */
  skip(): void {
    if (this.wire === 0) this.int64();
    else if (this.wire === 2) this.message();
    else if (this.wire === 1 || this.wire === 5) {
      this.at += this.wire === 1 ? 8 : 4;
      if (this.at > this.end) throw new ProtoError('a number is cut off');
    } else throw new ProtoError(`wire type ${this.wire} is not used any more`);
  }

  /** The whole message as text of one-byte characters. */
  text(): string {
    return String.fromCharCode(...this.bytes.subarray(this.at, Math.min(this.end, this.at + 100)));
  }
}

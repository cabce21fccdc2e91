import { maskedCrc32c } from '../core/math/crc32c.ts';

/*
 * A TensorBoard event file is a TFRecord file of protobuf messages, little-endian, one after the other:
 *
 *  offset  bytes  field
 *       0      8  length of the message, n
 *       8      4  masked CRC-32C of the length
 *      12      n  the message
 *  12 + n      4  masked CRC-32C of the message
 *
 *  Event   1 wall_time (double, seconds) · 2 step (int64) · 3 file_version (string) · 5 summary (Summary)
 *  Summary 1 value (Value, repeated)
 *  Value   1 tag (string) · 2 simple_value (float)
 *
 * The first message has a version instead of a summary. A tag is a chart; files in folders side by side are its lines.
 */
const HEAD_BYTES = 12;
const FOOT_BYTES = 4;
const VERSION = 'brain.Event:2';
/** More than a record takes without its tag: 16 around it, 9 of time, at most 11 of step, and 5 + 3 × 6 of the summary. */
const RECORD_BYTES = 64;

/** One number of a chart. */
export interface Scalar {
  readonly tag: string;
  readonly step: number;
  readonly wallMs: number;
  readonly value: number;
}

/** An event file with these numbers in this order; those that are not finite stay so. */
export function eventFile(startedAtMs: number, scalars: readonly Scalar[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const tags = new Map<string, Uint8Array>();
  for (const { tag } of scalars) if (!tags.has(tag)) tags.set(tag, encoder.encode(tag));
  const longest = Math.max(0, ...Array.from(tags.values(), ({ length }) => length));
  const out = new EventWriter(RECORD_BYTES * (scalars.length + 1) + longest * scalars.length);
  out.record(() => {
    out.double(1, startedAtMs / 1000);
    out.bytes(3, encoder.encode(VERSION));
  });
  for (const { tag, step, wallMs, value } of scalars) {
    const name = tags.get(tag) as Uint8Array;
    out.record(() => {
      out.double(1, wallMs / 1000);
      out.varint(2, step);
      const valueBytes = 1 + varintBytes(name.length) + name.length + 5;
      out.head(5, 1 + varintBytes(valueBytes) + valueBytes);
      out.head(1, valueBytes);
      out.bytes(1, name);
      out.float(2, value);
    });
  }
  return out.written;
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}

/** Writes records of protobuf fields into a buffer that is large enough for them. */
class EventWriter {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #view: DataView;
  #at = 0;

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  get written(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#at);
  }

  record(write: () => void): void {
    const start = this.#at;
    const body = start + HEAD_BYTES;
    this.#at = body;
    write();
    const end = this.#at;
    this.#view.setUint32(start, end - body, true);
    this.#view.setUint32(start + 8, maskedCrc32c(this.#bytes, start, start + 8), true);
    this.#view.setUint32(end, maskedCrc32c(this.#bytes, body, end), true);
    this.#at = end + FOOT_BYTES;
  }

  /** A whole number of at least 0. */
  varint(field: number, value: number): void {
    this.#put(field * 8);
    this.#varint(value);
  }

  double(field: number, value: number): void {
    this.#put(field * 8 + 1);
    this.#view.setFloat64(this.#at, value, true);
    this.#at += 8;
  }

  float(field: number, value: number): void {
    this.#put(field * 8 + 5);
    this.#view.setFloat32(this.#at, value, true);
    this.#at += 4;
  }

  /** What begins a field that has so many bytes: a text, or a message, whose fields follow. */
  head(field: number, length: number): void {
    this.#put(field * 8 + 2);
    this.#varint(length);
  }

  bytes(field: number, value: Uint8Array): void {
    this.head(field, value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
  }

  /** Seven bits a byte, the lowest first. Divides, since shifts would cut steps beyond 2^31. */
  #varint(value: number): void {
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#put((rest % 128) + 128);
    this.#put(rest);
  }

  #put(byte: number): void {
    this.#bytes[this.#at++] = byte;
  }
}

import { entriesOf, type SparseBatch, type SparseBatchBuilder } from './batch.ts';
import { writeKey } from './key-coding.ts';

/*
 * Sparse examples as bytes. A varint has seven bits a byte, low ones first; the top bit says that more follow.
 *
 *   what                                                          bytes
 *   n, how many examples                                          varint
 *   labels, example i in bit i & 7 of byte i >>> 3                ⌈n ÷ 8⌉
 *   how many entries each example has, e in all                   n varints
 *   keys of each example, rising: the first, then distances       e varints
 *   1 if some value is not 1, else 0 and the end                  1
 *   which values are not 1, a bit each as for labels              ⌈e ÷ 8⌉
 *   those values, little-endian                                   float32 each
 */

const MAX_VARINT_BYTES = 5;
const bitBytes = (count: number) => Math.ceil(count / 8);

/** The most bytes that so many examples with so many entries each can take. */
export const maxExampleBytes = (examples: number, entriesPerExample: number): number =>
  sizeLimit(examples, examples * entriesPerExample);

const sizeLimit = (examples: number, entries: number) =>
  (1 + examples + entries) * MAX_VARINT_BYTES + bitBytes(examples) + 1 + bitBytes(entries) + 4 * entries;

/** The batch as bytes. The entries of an example come back in the order of their keys, equal keys as they were. */
export function encodeExamples(batch: SparseBatch): Uint8Array<ArrayBuffer> {
  const { count, offsets, labels } = batch;
  const entries = entriesOf(batch);
  const order = new Uint32Array(entries);
  const bytes = new Uint8Array(sizeLimit(count, entries));
  const view = new DataView(bytes.buffer);
  let at = writeKey(count, bytes, 0);
  for (let i = 0; i < count; i++) if (labels[i] === 1) setBit(bytes, at, i);
  at += bitBytes(count);
  for (let i = 0; i < count; i++) at = writeKey((offsets[i + 1] as number) - (offsets[i] as number), bytes, at);
  for (let i = 0; i < count; i++) at = writeKeys(batch, i, order, bytes, at);

  const { values } = batch;
  let isAllOnes = true;
  for (let i = 0; i < entries && isAllOnes; i++) isAllOnes = values[i] === 1;
  bytes[at++] = isAllOnes ? 0 : 1;
  if (isAllOnes) return bytes.slice(0, at);
  const bitsAt = at;
  at += bitBytes(entries);
  for (let i = 0; i < entries; i++) {
    const value = values[order[i] as number] as number;
    if (value === 1) continue;
    setBit(bytes, bitsAt, i);
    view.setFloat32(at, value, true);
    at += 4;
  }
  return bytes.slice(0, at);
}

const setBit = (bytes: Uint8Array, start: number, index: number) => {
  const at = start + (index >>> 3);
  bytes[at] = (bytes[at] as number) | (1 << (index & 7));
};
const bitAt = (bytes: Uint8Array, start: number, index: number) =>
  ((bytes[start + (index >>> 3)] as number) >>> (index & 7)) & 1;

/** A key times this, plus an index among the entries, is exact in a float64: keys have at most 27 bits. */
const PLACES = 2 ** 26;
let spare = new Float64Array(64);

/** Writes one example's keys, rising, and notes in `order` where each came from; returns where the next goes. */
function writeKeys(
  { offsets, keys }: SparseBatch,
  example: number,
  order: Uint32Array,
  into: Uint8Array,
  start: number,
): number {
  const from = offsets[example] as number;
  const count = (offsets[example + 1] as number) - from;
  if (count > spare.length) spare = new Float64Array(2 * count);
  for (let i = 0; i < count; i++) spare[i] = (keys[from + i] as number) * PLACES + i;
  const sorted = spare.subarray(0, count).sort();
  let at = start;
  let previous = 0;
  for (let i = 0; i < count; i++) {
    const both = sorted[i] as number;
    const key = Math.floor(both / PLACES);
    order[from + i] = from + (both - key * PLACES);
    at = writeKey(key - previous, into, at);
    previous = key;
  }
  return at;
}

/** What a reader of examples accepts. */
export interface ExampleBounds {
  /** Exactly so many are expected; null: as many as there are. */
  readonly examples: number | null;
  /** At most. */
  readonly entriesPerExample: number;
  /** Keys are below this. */
  readonly features: number;
}

/**
 * Appends the examples to the batch. Throws a RangeError unless the bytes are complete and within the bounds. It allocates no
 * more memory than the bytes can fill, whatever they claim. After an error the batch holds part of them.
 */
export function decodeExamples(bytes: Uint8Array, bounds: ExampleBounds, into: SparseBatchBuilder): void {
  const reader = new Reader(bytes);
  const count = reader.varint();
  if (bounds.examples !== null && count !== bounds.examples) {
    throw new RangeError(`expected ${bounds.examples} examples, got ${count}`);
  }
  const labelsAt = reader.skip(bitBytes(count));
  // Each takes at least a byte, so this is no more memory than the message.
  if (count > bytes.length) throw new RangeError(`${count} examples cannot be in ${bytes.length} bytes`);
  const counts = new Uint32Array(count);
  let entries = 0;
  for (let i = 0; i < count; i++) {
    const own = reader.varint();
    if (own > bounds.entriesPerExample) {
      throw new RangeError(`example ${i} has ${own} entries, at most ${bounds.entriesPerExample} were expected`);
    }
    counts[i] = own;
    entries += own;
  }
  if (entries > reader.left) throw new RangeError(`${entries} entries cannot be in ${reader.left} bytes`);

  const first = into.offsets[into.count] as number;
  for (let i = 0; i < count; i++) {
    const own = counts[i] as number;
    const at = into.extend(own);
    let key = 0;
    for (let j = at; j < at + own; j++) {
      key += reader.varint();
      if (key >= bounds.features) {
        throw new RangeError(`example ${i} has key ${key}, the highest may be ${bounds.features - 1}`);
      }
      into.keys[j] = key;
      into.values[j] = 1;
    }
    into.end(bitAt(bytes, labelsAt, i));
  }
  readValues(reader, into.values.subarray(first, first + entries));
  if (reader.left > 0) throw new RangeError(`${reader.left} bytes are left over after ${count} examples`);
}

/** Overwrites the values that are not 1. */
function readValues(reader: Reader, values: Float32Array): void {
  const kind = reader.varint();
  if (kind > 1) throw new RangeError(`values are coded as 0 or 1, not ${kind}`);
  if (kind === 0) return;
  const { bytes } = reader;
  const bitsAt = reader.skip(bitBytes(values.length));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let i = 0; i < values.length; i++) {
    if (bitAt(bytes, bitsAt, i) === 0) continue;
    const value = view.getFloat32(reader.skip(4), true);
    if (!Number.isFinite(value)) throw new RangeError(`the value of entry ${i} is ${value}`);
    values[i] = value;
  }
}

class Reader {
  readonly bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get left(): number {
    return this.bytes.length - this.#at;
  }

  /** Skips so many bytes; returns where they begin. */
  skip(count: number): number {
    if (count > this.left)
      throw new RangeError(`${count} bytes were expected at byte ${this.#at}, ${this.left} are left`);
    const at = this.#at;
    this.#at += count;
    return at;
  }

  varint(): number {
    let value = 0;
    for (let unit = 1; unit <= 2 ** 28; unit *= 128) {
      const byte = this.bytes[this.skip(1)] as number;
      value += (byte & 127) * unit;
      if (byte < 128) return value;
    }
    throw new RangeError(`a number before byte ${this.#at} is coded in more than ${MAX_VARINT_BYTES} bytes`);
  }
}

import { decodeKeys, keyLength, writeKey } from '../sparse/key-coding.ts';
import type { Touched } from '../sparse/touched.ts';
import { decodeMessage, encodeHead } from '../wire/message.ts';
import type { SavedServer } from './saved-run.ts';

/** Everything of a server but its arrays; `touched` where only those parameters were saved. */
interface Head extends Omit<SavedServer, 'arrays' | 'keys'> {
  readonly touched: { readonly count: number; readonly keyBytes: number } | null;
}

const paddedTo4 = (bytes: number) => (bytes + 3) & ~3;

/**
 * A server at rest as bytes: a message whose head is JSON and whose body is its arrays, one after another. With
 * `moved`, the body is those keys and the arrays' values there: parameters that nobody touched cost neither space nor time.
 */
export function encodeCheckpoint({ arrays, keys: _, ...rest }: SavedServer, moved: Touched | null): Uint8Array {
  const touched = moved && measure(moved);
  const head: Head = { ...rest, touched };
  const start = encodeHead(head);
  if (!moved || !touched) return joined(start, arrays);
  const { count, keyBytes } = touched;
  const numbersAt = start.length + paddedTo4(keyBytes);
  const bytes = new Uint8Array(numbersAt + 4 * count * arrays.length);
  bytes.set(start);
  const numbers = new Float32Array(bytes.buffer, numbersAt);
  let [at, place, previous] = [start.length, 0, -1];
  moved.each((key) => {
    at = writeKey(key - previous - 1, bytes, at);
    previous = key;
    for (let i = 0; i < arrays.length; i++) numbers[i * count + place] = arrays[i]?.[key] as number;
    place += 1;
  });
  return bytes;
}

function joined(start: Uint8Array, arrays: readonly Float32Array[]): Uint8Array {
  const bytes = new Uint8Array(arrays.reduce((sum, array) => sum + array.byteLength, start.length));
  bytes.set(start);
  let at = start.length;
  for (const array of arrays) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
    at += array.byteLength;
  }
  return bytes;
}

function measure(moved: Touched): { count: number; keyBytes: number } {
  let [count, keyBytes, previous] = [0, 0, -1];
  moved.each((key) => {
    count += 1;
    keyBytes += keyLength(key - previous - 1);
    previous = key;
  });
  return { count, keyBytes };
}

/** Reads what `encodeCheckpoint` wrote for parameters of this size. The bytes must have been checked for damage. */
export function decodeCheckpoint(bytes: Uint8Array, size: number): SavedServer {
  const { head, body } = decodeMessage(bytes, bytes.length);
  const { touched = null, ...rest } = head as Head;
  if (!touched) return { ...rest, keys: null, arrays: split(body, size) };
  const keys = new Uint32Array(touched.count);
  decodeKeys(body.subarray(0, touched.keyBytes), touched.count, size - 1, keys);
  return { ...rest, keys, arrays: split(body.subarray(paddedTo4(touched.keyBytes)), touched.count) };
}

function split(body: Uint8Array, size: number): Float32Array[] {
  const numbers = new Float32Array(body.slice().buffer);
  // Where nothing was touched there is nothing to read.
  const count = size === 0 ? 0 : numbers.length / size;
  if (!Number.isInteger(count)) throw new RangeError('the saved run is of another model: discard it and start anew');
  return Array.from({ length: count }, (_, i) => numbers.subarray(i * size, (i + 1) * size));
}

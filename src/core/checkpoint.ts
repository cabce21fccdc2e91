import { decodeMessage, encodeHead } from './message.ts';
import type { SavedServer } from './server.ts';

/** Everything of a server but its arrays. */
type Head = Omit<SavedServer, 'arrays'>;

/** A server at rest as bytes: a message whose head is JSON and whose body is its arrays, one after another. */
export function encodeCheckpoint({ arrays, ...head }: SavedServer): Uint8Array {
  const start = encodeHead(head);
  const bytes = new Uint8Array(arrays.reduce((sum, array) => sum + array.byteLength, start.length));
  bytes.set(start);
  let at = start.length;
  for (const array of arrays) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
    at += array.byteLength;
  }
  return bytes;
}

/** Reads what `encodeCheckpoint` wrote for parameters of this size. The bytes must have been checked for damage. */
export function decodeCheckpoint(bytes: Uint8Array, size: number): SavedServer {
  const { head, body } = decodeMessage(bytes, bytes.length);
  const numbers = new Float32Array(body.slice().buffer);
  if (numbers.length % size !== 0) throw new RangeError('the saved run is of another model: discard it and start anew');
  const arrays = Array.from({ length: numbers.length / size }, (_, i) => numbers.subarray(i * size, (i + 1) * size));
  return { ...(head as Head), arrays };
}

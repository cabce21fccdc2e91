import { DataError } from './data-error.ts';

/**
 * IDX, the format of MNIST and its relatives. All numbers are big-endian.
 *
 *   0      2 bytes   zero
 *   2      1 byte    type of the elements; 8 is uint8
 *   3      1 byte    number of dimensions, n
 *   4      4 × n     size of each dimension, uint32
 *   4+4n   the rest  elements, last dimension fastest
 */
export interface Idx {
  readonly shape: readonly number[];
  /** A view of the file's bytes, not a copy. */
  readonly values: Uint8Array;
}

const UINT8 = 8;

/** Reads an IDX file of uint8 elements; throws unless it is exactly as long as its head says. */
export function parseIdx(bytes: Uint8Array): Idx {
  if (bytes.length < 4) throw new DataError(`an IDX file has at least 4 bytes, this has ${bytes.length}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint16(0) !== 0) {
    throw new DataError(`an IDX file starts with two zero bytes, this with 0x${view.getUint16(0).toString(16)}`);
  }
  const type = view.getUint8(2);
  if (type !== UINT8) throw new DataError(`only IDX files of uint8 (type 8) can be read, this has type ${type}`);
  const dimensions = view.getUint8(3);
  const headBytes = 4 + 4 * dimensions;
  if (dimensions === 0 || bytes.length < headBytes) {
    throw new DataError(`an IDX head of ${dimensions} dimensions does not fit in ${bytes.length} bytes`);
  }
  const shape = Array.from({ length: dimensions }, (_, i) => view.getUint32(4 + 4 * i));
  const expected = shape.reduce((a, b) => a * b, 1);
  const found = bytes.length - headBytes;
  if (found !== expected) {
    throw new DataError(`an IDX file of ${shape.join(' × ')} has ${expected} elements, this has ${found}`);
  }
  return { shape, values: bytes.subarray(headBytes) };
}

/** Writes what `parseIdx` reads. */
export function formatIdx({ shape, values }: Idx): Uint8Array<ArrayBuffer> {
  const headBytes = 4 + 4 * shape.length;
  const bytes = new Uint8Array(headBytes + values.length);
  const view = new DataView(bytes.buffer);
  view.setUint8(2, UINT8);
  view.setUint8(3, shape.length);
  for (const [i, size] of shape.entries()) view.setUint32(4 + 4 * i, size);
  bytes.set(values, headBytes);
  return bytes;
}

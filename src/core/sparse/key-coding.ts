/**
 * A rising list of distinct keys as bytes: the first key, then for each next one its distance from the one before less
 * 1, each as a varint (seven bits a byte, low ones first, the top bit says that more follow).
 */

/** Enough room for any list of so many keys. */
export const maxKeyBytes = (count: number): number => count * 5;

/** How many bytes a distance takes. */
export function keyLength(distance: number): number {
  let [length, rest] = [1, distance];
  for (; rest > 127; rest >>>= 7) length += 1;
  return length;
}

/** Writes a distance; returns where the next goes. */
export function writeKey(distance: number, into: Uint8Array, start: number): number {
  let [at, rest] = [start, distance];
  // Unsigned shifts: a first distance may have all 32 bits.
  for (; rest > 127; rest >>>= 7) into[at++] = (rest & 127) | 128;
  into[at++] = rest;
  return at;
}

/** Writes the first `count` keys, which must rise, at the start of `into`; returns the number of bytes written. */
export function encodeKeys(keys: Uint32Array, count: number, into: Uint8Array): number {
  if (into.length < maxKeyBytes(count)) {
    throw new RangeError(`${count} keys may need ${maxKeyBytes(count)} bytes, there is room for ${into.length}`);
  }
  let at = 0;
  let previous = -1;
  for (let i = 0; i < count; i++) {
    const key = keys[i] as number;
    const distance = key - previous - 1;
    if (distance < 0) throw new RangeError(`keys must rise: key ${i} is ${key}, the one before is ${previous}`);
    previous = key;
    at = writeKey(distance, into, at);
  }
  return at;
}

/**
 * Reads exactly `count` keys of at most `maxKey` into `into`. Throws a RangeError unless the bytes are what `encodeKeys`
 * writes for such a list: each list has one coding. It allocates nothing, whatever a stranger's bytes claim.
 */
export function decodeKeys(bytes: Uint8Array, count: number, maxKey: number, into: Uint32Array): void {
  if (count > bytes.length || count > maxKey + 1 || count > into.length) {
    throw new RangeError(`${count} keys up to ${maxKey} cannot be in ${bytes.length} bytes or go to ${into.length}`);
  }
  let at = 0;
  let key = -1;
  for (let i = 0; i < count; i++) {
    let distance = 0;
    let unit = 1;
    for (;;) {
      if (at >= bytes.length) throw new RangeError(`the bytes end within key ${i} of ${count}`);
      const byte = bytes[at++] as number;
      distance += (byte & 127) * unit;
      if (byte < 128) {
        if (byte === 0 && unit > 1) throw new RangeError(`key ${i} is coded with more bytes than it needs`);
        break;
      }
      unit *= 128;
      if (unit > 2 ** 28) throw new RangeError(`key ${i} is coded in more than 5 bytes`);
    }
    key += distance + 1;
    if (key > maxKey) throw new RangeError(`key ${i} is ${key}, the highest may be ${maxKey}`);
    into[i] = key;
  }
  if (at !== bytes.length) throw new RangeError(`${bytes.length - at} bytes are left over after ${count} keys`);
}

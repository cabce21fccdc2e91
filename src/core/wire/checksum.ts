const PRIME1 = 0x9e3779b1;
const PRIME2 = 0x85ebca77;
const PRIME3 = 0xc2b2ae3d;
const PRIME4 = 0x27d4eb2f;
const PRIME5 = 0x165667b1;

const round = (lane: number, word: number) => {
  const mixed = (lane + Math.imul(word, PRIME2)) | 0;
  return Math.imul((mixed << 13) | (mixed >>> 19), PRIME1);
};

/**
 * xxHash32 of the bytes, as an unsigned integer. It finds accidents (a lost frame, a torn file), not forgeries:
 * links are authenticated by DTLS. Fastest when the bytes start at a multiple of four.
 */
export function checksum(bytes: Uint8Array, seed = 0): number {
  const words = Math.floor(bytes.length / 4);
  const source = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const view = new Uint32Array(source.buffer, source.byteOffset, words);
  let word = 0;
  let hash: number;
  if (words >= 4) {
    let a = (seed + PRIME1 + PRIME2) | 0;
    let b = (seed + PRIME2) | 0;
    let c = seed | 0;
    let d = (seed - PRIME1) | 0;
    for (const end = words - 3; word < end; word += 4) {
      a = round(a, view[word] as number);
      b = round(b, view[word + 1] as number);
      c = round(c, view[word + 2] as number);
      d = round(d, view[word + 3] as number);
    }
    hash =
      (((a << 1) | (a >>> 31)) + ((b << 7) | (b >>> 25)) + ((c << 12) | (c >>> 20)) + ((d << 18) | (d >>> 14))) | 0;
  } else {
    hash = (seed + PRIME5) | 0;
  }
  hash = (hash + bytes.length) | 0;
  for (; word < words; word++) {
    hash = (hash + Math.imul(view[word] as number, PRIME3)) | 0;
    hash = Math.imul((hash << 17) | (hash >>> 15), PRIME4);
  }
  for (let i = words * 4; i < bytes.length; i++) {
    hash = (hash + Math.imul(bytes[i] as number, PRIME5)) | 0;
    hash = Math.imul((hash << 11) | (hash >>> 21), PRIME1);
  }
  hash = Math.imul(hash ^ (hash >>> 15), PRIME2);
  hash = Math.imul(hash ^ (hash >>> 13), PRIME3);
  return (hash ^ (hash >>> 16)) >>> 0;
}

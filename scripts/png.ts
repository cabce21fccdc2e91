import { inflateSync } from 'node:zlib';

export interface Png {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue of each pixel, row by row. */
  readonly pixels: Uint8Array;
}

const SIGNATURE = '89504e470d0a1a0a';
const BYTES_PER_PIXEL = 3;

/** Reads a PNG of 8-bit red, green and blue, not interlaced: what data sets are packed in. */
export function readPng(file: Buffer): Png {
  if (file.subarray(0, 8).toString('hex') !== SIGNATURE) throw new RangeError('this is not a PNG file');
  const [width, height, format] = [file.readUInt32BE(16), file.readUInt32BE(20), file.subarray(24, 29).toString('hex')];
  if (format !== '0802000000') throw new RangeError(`only PNGs of 8-bit RGB can be read, this is ${format}`);
  const parts: Buffer[] = [];
  for (let at = 8; at < file.length; ) {
    const size = file.readUInt32BE(at);
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(file.subarray(at + 8, at + 8 + size));
    at += size + 12;
  }
  return { width, height, pixels: unfiltered(inflateSync(Buffer.concat(parts)), width * BYTES_PER_PIXEL, height) };
}

/** Each row starts with how its bytes were predicted: from the left (a), from above (b), from both, with (c) above left. */
function unfiltered(bytes: Uint8Array, rowBytes: number, rows: number): Uint8Array {
  if (bytes.length !== rows * (rowBytes + 1)) throw new RangeError('the PNG is cut off');
  const pixels = new Uint8Array(rows * rowBytes);
  for (let row = 0; row < rows; row++) {
    const kind = bytes[row * (rowBytes + 1)] as number;
    const source = row * (rowBytes + 1) + 1;
    const target = row * rowBytes;
    for (let i = 0; i < rowBytes; i++) {
      const a = i < BYTES_PER_PIXEL ? 0 : (pixels[target + i - BYTES_PER_PIXEL] as number);
      const b = row === 0 ? 0 : (pixels[target + i - rowBytes] as number);
      const c = row === 0 || i < BYTES_PER_PIXEL ? 0 : (pixels[target + i - rowBytes - BYTES_PER_PIXEL] as number);
      pixels[target + i] = (bytes[source + i] as number) + predicted(kind, a, b, c);
    }
  }
  return pixels;
}

function predicted(kind: number, a: number, b: number, c: number): number {
  switch (kind) {
    case 0:
      return 0;
    case 1:
      return a;
    case 2:
      return b;
    case 3:
      return (a + b) >> 1;
    case 4: {
      const [toA, toB, toC] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
      return toA <= toB && toA <= toC ? a : toB <= toC ? b : c;
    }
    default:
      throw new RangeError(`a PNG has filters 0 … 4, this has ${kind}`);
  }
}

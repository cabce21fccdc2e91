import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';
import type { RunFile } from './run-file.ts';

/** Numbers as floats do not get smaller; texts get a lot smaller. */
const isStored = ({ path }: RunFile): boolean => /\.(bin|safetensors)$/.test(path);

/** Deflated at some thirty megabytes a second, so much takes less than the time of a frame. */
const CHUNK_BYTES = 1 << 18;

/** The files as one zip archive, at once. */
export function zipOf(files: readonly RunFile[]): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (const part of zipping(files)) parts.push(...part);
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The files as one zip archive in pieces, for a Blob: lets the page do other things in between, and copies no weights. */
export async function zipPieces(files: readonly RunFile[]): Promise<Uint8Array<ArrayBuffer>[]> {
  const { port1, port2 } = new MessageChannel();
  // A message, unlike a timer, is not held back in a hidden tab.
  const turn = () =>
    new Promise<void>((resolve) => {
      port1.onmessage = () => resolve();
      port2.postMessage(null);
    });
  try {
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    for (const part of zipping(files)) {
      pieces.push(...part);
      await turn();
    }
    return pieces;
  } finally {
    port1.close();
  }
}

/** What each chunk of each file adds to the archive, one after another. */
function* zipping(files: readonly RunFile[]): Generator<Uint8Array<ArrayBuffer>[]> {
  let made: Uint8Array<ArrayBuffer>[] = [];
  const taken = () => {
    const part = made;
    made = [];
    return part;
  };
  const archive = new Zip((error, data) => {
    if (error) throw error;
    made.push(data as Uint8Array<ArrayBuffer>);
  });
  for (const file of files) {
    const entry = isStored(file) ? new ZipPassThrough(file.path) : new ZipDeflate(file.path);
    archive.add(entry);
    for (let at = 0; at === 0 || at < file.bytes.length; at += CHUNK_BYTES) {
      entry.push(file.bytes.subarray(at, at + CHUNK_BYTES), at + CHUNK_BYTES >= file.bytes.length);
      yield taken();
    }
  }
  archive.end();
  yield taken();
}

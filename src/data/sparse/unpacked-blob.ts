import { blobSource } from './byte-source.ts';
import type { Unpack } from './indexed-file.ts';

/** Pieces of this size leave the page's memory one by one: a browser keeps large blobs on disk. */
const PIECE_BYTES = 8 * 2 ** 20;

/** Keeps unpacked bytes in a blob. */
export const unpackToBlob: Unpack = async (chunks, name) => {
  const pieces: Blob[] = [];
  let waiting: Uint8Array<ArrayBuffer>[] = [];
  let waitingBytes = 0;
  const flush = () => {
    pieces.push(new Blob(waiting));
    waiting = [];
    waitingBytes = 0;
  };
  for await (const chunk of chunks) {
    waiting.push(chunk as Uint8Array<ArrayBuffer>);
    waitingBytes += chunk.length;
    if (waitingBytes >= PIECE_BYTES) flush();
  }
  flush();
  return { source: blobSource(new Blob(pieces), name), remove: async () => {} };
};

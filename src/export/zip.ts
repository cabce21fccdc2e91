import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';
import type { RunFile } from './run-file.ts';

/** Numbers as floats do not get smaller; texts get a lot smaller. */
const isStored = ({ path }: RunFile): boolean => /\.(bin|safetensors)$/.test(path);

/** Deflated at some thirty megabytes a second, so much takes less than the time of a frame. */
const CHUNK_BYTES = 1 << 18;
/** So much is in memory before the browser gets it to keep, on disk if it likes. */
const PART_BYTES = 1 << 23;
/** Where the offsets of an archive end; some is left for its list of files. */
export const MAX_ZIP_BYTES = 2 ** 32 - 2 ** 24;

/**
 * The files as one zip archive. They are taken one by one, so that no more than one need be in memory, and the page gets
 * to do other things in between. Throws in words where they are more than an archive can hold.
 */
export async function zipBlob(files: Iterable<RunFile> | AsyncIterable<RunFile>): Promise<Blob> {
  const { port1, port2 } = new MessageChannel();
  // A message, unlike a timer, is not held back in a hidden tab.
  const turn = () =>
    new Promise<void>((resolve) => {
      port1.onmessage = () => resolve();
      port2.postMessage(null);
    });
  const blobs: Blob[] = [];
  let [made, madeBytes, zipBytes]: [Uint8Array<ArrayBuffer>[], number, number] = [[], 0, 0];
  const pack = () => {
    blobs.push(new Blob(made));
    made = [];
    madeBytes = 0;
  };
  const archive = new Zip((error, data) => {
    if (error) throw error;
    made.push(data as Uint8Array<ArrayBuffer>);
    madeBytes += data.length;
    zipBytes += data.length;
  });
  try {
    for await (const file of files) {
      const isWithin = zipBytes + file.bytes.length < MAX_ZIP_BYTES;
      if (!isWithin) throw new RangeError('it is more than the 4 GB that a zip archive can hold: take less of it');
      const entry = isStored(file) ? new ZipPassThrough(file.path) : new ZipDeflate(file.path);
      archive.add(entry);
      for (let at = 0; at === 0 || at < file.bytes.length; at += CHUNK_BYTES) {
        entry.push(file.bytes.subarray(at, at + CHUNK_BYTES), at + CHUNK_BYTES >= file.bytes.length);
        if (madeBytes >= PART_BYTES) pack();
        await turn();
      }
    }
    archive.end();
    pack();
    return new Blob(blobs, { type: 'application/zip' });
  } finally {
    port1.close();
  }
}

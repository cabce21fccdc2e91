import { type FileHandle, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { PathOpener } from '../../host/example-server.ts';

/** Large enough for the disk, small enough that the thread that reads does other things in between. */
const CHUNK_BYTES = 2 ** 18;

/** Opens files on the disk; packed ones are unpacked to a temporary file. */
export const diskFiles: PathOpener = {
  async open(path) {
    const { size: sizeBytes } = await stat(path);
    return {
      name: basename(path),
      sizeBytes,
      async *open(fromByte, untilByte = sizeBytes) {
        const file = await open(path);
        try {
          yield* chunksOf(file, fromByte, untilByte);
        } finally {
          await file.close();
        }
      },
    };
  },
  async unpack(chunks, name) {
    const folder = await mkdtemp(join(tmpdir(), 'manyhands-unpacked-'));
    const removeFolder = () => rm(folder, { recursive: true, force: true });
    const file = await open(join(folder, 'plain'), 'wx+');
    const remove = async () => {
      await file.close();
      await removeFolder();
    };
    try {
      let sizeBytes = 0;
      for await (const chunk of chunks) {
        await file.writeFile(chunk);
        sizeBytes += chunk.length;
      }
      // Where the system allows it the file has no name from now on, and is gone with this process however that ends.
      if (process.platform !== 'win32') await removeFolder();
      return { source: { name, sizeBytes, open: (from, until = sizeBytes) => chunksOf(file, from, until) }, remove };
    } catch (error) {
      await remove();
      throw error;
    }
  },
};

async function* chunksOf(file: FileHandle, fromByte: number, untilByte: number): AsyncGenerator<Uint8Array, void> {
  for (let at = fromByte; at < untilByte; ) {
    const length = Math.min(CHUNK_BYTES, untilByte - at);
    const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, at);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

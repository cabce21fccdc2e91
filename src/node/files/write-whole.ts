import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** How the names of files that are being written end; what a crash leaves of them may be removed. */
export const PART_ENDING = '.part';

/** A file's contents; parts are written one after the other, without being copied together. */
type Contents = string | Uint8Array | readonly Uint8Array[];

/**
 * Puts a file in place: readers see the old one or the new one, never half of one, whoever else writes it at the same
 * time. Once it resolves, the file and its name are on the disk, and a machine that stops loses neither.
 */
export async function writeWhole(path: string, contents: Contents, mode = 0o666): Promise<void> {
  const temporary = `${path}.${randomUUID()}${PART_ENDING}`;
  try {
    await writeFlushed(temporary, contents, mode);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await flushFolder(dirname(path));
}

/** Writes a file, and resolves when what it holds is on the disk; its name may not be. */
export const writeFlushed = (path: string, contents: Contents, mode = 0o666): Promise<void> =>
  withFile(path, 'w', mode, async (file) => {
    for (const part of [contents].flat()) await file.writeFile(part);
    await file.sync();
  });

/** Brings the names in a folder to the disk. Windows opens no folders, and needs none of this. */
export async function flushFolder(folder: string): Promise<void> {
  if (process.platform !== 'win32') await withFile(folder, 'r', 0, (file) => file.sync());
}

async function withFile(path: string, flags: string, mode: number, use: (file: FileHandle) => Promise<void>) {
  const file = await open(path, flags, mode);
  try {
    await use(file);
  } finally {
    await file.close();
  }
}

import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RunFile } from '../../export/run-files.ts';
import { flushFolder, PART_ENDING, writeFlushed, writeWhole } from './write-whole.ts';

/** Puts files in place one by one: whoever opens one sees it whole, the old or the new. */
export const replaceFiles = (folder: string, files: readonly RunFile[]): Promise<void> =>
  writeAll(folder, files, writeWhole);

/** Makes a folder of these files that is there whole or not at all; one of that name before is gone. */
export async function replaceFolder(folder: string, files: readonly RunFile[]): Promise<void> {
  const temporary = `${folder}${PART_ENDING}`;
  await rm(temporary, { recursive: true, force: true });
  await mkdir(temporary, { recursive: true });
  await writeAll(temporary, files, writeFlushed);
  await rm(folder, { recursive: true, force: true });
  await rename(temporary, folder);
  await flushFolder(dirname(folder));
}

async function writeAll(
  folder: string,
  files: readonly RunFile[],
  write: (path: string, bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  for (const { path, bytes } of files) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await write(target, bytes);
  }
}

import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RunFile } from '../../export/run-files.ts';

/** Puts files in place one by one: whoever opens one sees it whole, the old or the new. */
export async function replaceFiles(folder: string, files: readonly RunFile[]): Promise<void> {
  for (const { path, bytes } of files) {
    const place = join(folder, path);
    await mkdir(dirname(place), { recursive: true });
    const temporary = `${place}.part`;
    await writeFile(temporary, bytes);
    await rename(temporary, place);
  }
}

/** Makes a folder of these files that is there whole or not at all; one of that name before is gone. */
export async function replaceFolder(folder: string, files: readonly RunFile[]): Promise<void> {
  const temporary = `${folder}.part`;
  await rm(temporary, { recursive: true, force: true });
  await mkdir(temporary, { recursive: true });
  for (const { path, bytes } of files) {
    const place = join(temporary, path);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, bytes);
  }
  await rm(folder, { recursive: true, force: true });
  await rename(temporary, folder);
}

import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** The folder is another process's. */
export class FolderInUseError extends Error {}

/** Holds a folder for this process, and gives the way to let go; rejects with a FolderInUseError while another that is alive holds it. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'in-use-by');
  for (let tries = 0; ; tries++) {
    const file = await open(path, 'wx').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return null;
      throw error;
    });
    if (file !== null) {
      await file.writeFile(`${process.pid}\n`);
      await file.close();
      return () => rm(path, { force: true });
    }
    const holder = Number(await readFile(path, 'utf8').catch(() => ''));
    if (tries > 2 || (holder !== process.pid && isAlive(holder))) {
      throw new FolderInUseError(
        `${folder} is in use by another relay (process ${holder}): end it, or choose another --data-dir. ` +
          `If there is none, remove ${path}`,
      );
    }
    // Its process was killed.
    await rm(path, { force: true });
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user is alive all the same.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

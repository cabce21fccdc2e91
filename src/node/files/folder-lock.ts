import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A folder is held by another process that is alive; `path` is the file that says so. */
export class FolderInUseError extends Error {
  readonly path: string;

  constructor(folder: string, path: string, holder: number) {
    super(
      `${folder} is in use by another relay (process ${holder}): end it, or choose another --data-dir. ` +
        `If there is none, remove ${path}`,
    );
    this.path = path;
  }
}

/** Holds a folder for this process; rejects with a FolderInUseError while another process holds it. Returns the way to let go. */
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
      throw new FolderInUseError(folder, path, holder);
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

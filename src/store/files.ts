import { database } from './database.ts';

/** The file kept under this name, or undefined. Where the browser refuses storage nothing is kept, and nothing fails. */
export async function readFile(name: string): Promise<Uint8Array | undefined> {
  try {
    return await (await database()).get('files', name);
  } catch {
    return undefined;
  }
}

/** Keeps a file under this name if the browser lets us (private windows and full disks may not). */
export async function keepFile(name: string, bytes: Uint8Array): Promise<void> {
  try {
    const tx = (await database()).transaction('files', 'readwrite', { durability: 'relaxed' });
    await tx.store.put(bytes, name);
    await tx.done;
  } catch {
    // It will be fetched again next time.
  }
}

/** Forgets a file. */
export async function dropFile(name: string): Promise<void> {
  try {
    await (await database()).delete('files', name);
  } catch {
    // Nothing was kept.
  }
}

import { checksum } from '../core/wire/checksum.ts';
import { database } from './database.ts';

/** One saved state of a run. */
export interface Checkpoint {
  readonly id: string;
  readonly slot: number;
  /** Grows with each save of the same run, whatever the clock does. */
  readonly sequence: number;
  readonly savedAtMs: number;
  readonly bytes: Uint8Array;
  readonly checksum: number;
  /** As given to `saveCheckpoint`: plain data, to be checked by whoever reads it. */
  readonly meta: unknown;
}

/** As it lies in the database. */
export type StoredCheckpoint = Omit<Checkpoint, 'bytes'> & { readonly bytes: Uint8Array | Blob };

/** Chromium refuses values above 127 MiB; blobs are files of their own. */
const MAX_VALUE_BYTES = 64 << 20;
const SLOTS = 2;
/** Runs that nobody resumed or dropped must not fill the disk: the newest four stay. */
const MAX_RECORDS = 4 * SLOTS;

/**
 * Saves a run's state beside its previous one, which stays whole until this one is.
 * `meta` is plain data that can be cloned.
 */
export async function saveCheckpoint(id: string, bytes: Uint8Array, meta: unknown): Promise<void> {
  // Cloning a view would store all of the buffer under it.
  const own = bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
  const sum = checksum(own);
  const stored = own.byteLength > MAX_VALUE_BYTES ? new Blob([own as Uint8Array<ArrayBuffer>]) : own;
  const tx = (await database()).transaction('checkpoints', 'readwrite', { durability: 'relaxed' });
  // Key cursors, so that no old bytes are read.
  const last = await tx.store.index('order').openKeyCursor(ofRun(id), 'prev');
  const sequence = last === null ? 0 : last.key[1] + 1;
  const slot = last === null ? 0 : (last.primaryKey[1] + 1) % SLOTS;
  await tx.store.put({ id, slot, sequence, savedAtMs: Date.now(), bytes: stored, checksum: sum, meta });
  let kept = 0;
  for (let cursor = await tx.store.index('age').openKeyCursor(null, 'prev'); cursor; cursor = await cursor.continue()) {
    if (kept++ >= MAX_RECORDS) await tx.store.delete(cursor.primaryKey);
  }
  await tx.done;
}

/** The newest intact checkpoint, of one run or of all; null if there is none. */
export async function latestCheckpoint(id?: string): Promise<Checkpoint | null> {
  const db = await database();
  const keys =
    id === undefined
      ? await db.getAllKeysFromIndex('checkpoints', 'age')
      : await db.getAllKeysFromIndex('checkpoints', 'order', ofRun(id));
  for (const key of keys.reverse()) {
    const found = await db.get('checkpoints', key);
    if (!found) continue;
    const bytes = found.bytes instanceof Blob ? new Uint8Array(await found.bytes.arrayBuffer()) : found.bytes;
    if (checksum(bytes) === found.checksum) return { ...found, bytes };
  }
  return null;
}

/** Forgets a run's checkpoints. */
export async function dropCheckpoint(id: string): Promise<void> {
  await (await database()).delete('checkpoints', IDBKeyRange.bound([id, 0], [id, SLOTS]));
}

const ofRun = (id: string) => IDBKeyRange.bound([id, 0], [id, Number.MAX_SAFE_INTEGER]);

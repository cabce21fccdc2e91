import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { RunLog } from '../observe/run-log.ts';
import type { StoredCheckpoint } from './checkpoints.ts';
import type { LabRecord, LabRunRecord } from './labs.ts';

/** What this origin keeps in the browser. A change of shape raises VERSION, and what was kept before is gone. */
interface Stores extends DBSchema {
  checkpoints: {
    key: [id: string, slot: number];
    value: StoredCheckpoint;
    indexes: { order: [id: string, sequence: number]; age: number };
  };
  runs: { key: string; value: RunLog; indexes: { age: number } };
  /** Raw data files by name. */
  files: { key: string; value: Uint8Array };
  labs: { key: string; value: LabRecord; indexes: { age: number } };
  'lab-runs': { key: [lab: string, key: string]; value: LabRunRecord };
}

type Database = IDBPDatabase<Stores>;

const NAME = 'manyhands';
const VERSION = 3;

let opened: Promise<Database> | null = null;

/** The one database of this thread, opened on first use and again after the browser closed it. */
export function database(): Promise<Database> {
  opened ??= open().catch((error: unknown) => {
    opened = null;
    throw error;
  });
  return opened;
}

/** Lets go of the database; the next use opens it again. */
export async function closeDatabase(): Promise<void> {
  const closing = opened;
  opened = null;
  (await closing)?.close();
}

function open(): Promise<Database> {
  return openDB<Stores>(NAME, VERSION, {
    upgrade(db) {
      for (const store of db.objectStoreNames) db.deleteObjectStore(store);
      const checkpoints = db.createObjectStore('checkpoints', { keyPath: ['id', 'slot'] });
      checkpoints.createIndex('order', ['id', 'sequence']);
      checkpoints.createIndex('age', 'savedAtMs');
      db.createObjectStore('runs', { keyPath: 'id' }).createIndex('age', 'startedAtMs');
      db.createObjectStore('files');
      db.createObjectStore('labs', { keyPath: 'id' }).createIndex('age', 'startedAtMs');
      db.createObjectStore('lab-runs', { keyPath: ['lab', 'key'] });
    },
    // A tab with a newer version waits for this one to let go.
    blocking: () => void closeDatabase(),
    terminated: () => {
      opened = null;
    },
  });
}

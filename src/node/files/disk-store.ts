import { type FileHandle, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { checksum } from '../../core/wire/checksum.ts';
import type { CheckpointStore } from '../../host/checkpoint-keeper.ts';
import type { Resumable } from '../../host/state.ts';

/*
 * A checkpoint file, `<sequence>-<run>.checkpoint`; the sequence grows with every save in the folder.
 *
 *   offset  bytes  what
 *   0       4      'MHc2'
 *   4       4      checksum of everything that follows: of the run's state, with that of what is before it as its seed
 *   8       4      length of the head, a multiple of four
 *   12      …      head: JSON of Resumable, spaces after it
 *   …       …      the run's state, as the server gave it
 */
const MAGIC = 0x3263484d;
const SUM_AT = 4;
const LENGTH_AT = SUM_AT + 4;
const HEAD_AT = LENGTH_AT + 4;
const SPACE = 0x20;

/** One may be torn by a crash and one by a bad sector, and there is still one to go on from. */
const KEPT = 3;
const NAME = /^(\d{12})-([A-Za-z0-9-]{1,64})\.checkpoint$/;

export interface DiskStoreListener {
  /** The file and its name are on the disk. */
  onSaved(saved: { readonly id: string; readonly version: number; readonly sizeBytes: number }): void;
  /** A file that cannot be used, in words; the one before it is tried. */
  onSkipped(text: string): void;
}

/**
 * Keeps checkpoints in a folder. A save is whole or not there, whenever the process or the machine stops: it is written
 * beside the others, flushed, and only then given its name. The last three of a run stay.
 */
export function diskStore(folder: string, { onSaved, onSkipped }: DiskStoreListener): CheckpointStore {
  const list = async () => {
    const names = await readdir(folder).catch(() => []);
    const files = names.flatMap((name) => {
      const [, sequence, id] = NAME.exec(name) ?? [];
      return id === undefined ? [] : [{ name, id, sequence: Number(sequence) }];
    });
    return files.sort((a, b) => b.sequence - a.sequence);
  };

  return {
    async save(id, bytes, meta) {
      await mkdir(folder, { recursive: true });
      const before = await list();
      const sequence = String((before[0]?.sequence ?? 0) + 1).padStart(12, '0');
      const path = join(folder, `${sequence}-${id}.checkpoint`);
      const head = encodeHead({ ...meta, savedAtMs: Date.now() }, bytes);
      // One name for all: what a crash left half-written is written over.
      const temporary = join(folder, 'next.tmp');
      await withFile(temporary, 'w', async (file) => {
        // One after the other: the state may be as long as all parameters, and is not copied to stand behind its head.
        await file.writeFile(head);
        await file.writeFile(bytes);
        await file.sync();
      });
      await rename(temporary, path);
      await syncFolder(folder);
      onSaved({ id, version: meta.version, sizeBytes: head.length + bytes.length });
      const old = before.filter((file) => file.id === id).slice(KEPT - 1);
      await Promise.all(old.map(({ name }) => rm(join(folder, name), { force: true })));
    },
    async latest() {
      for (const { name } of await list()) {
        const found = decodeCheckpointFile(await readFile(join(folder, name)));
        if (typeof found !== 'string') return found;
        onSkipped(`The checkpoint ${name} cannot be used: ${found}. The one before it is tried.`);
      }
      return null;
    },
    async drop(id) {
      const own = (await list()).filter((file) => file.id === id);
      await Promise.all(own.map(({ name }) => rm(join(folder, name), { force: true })));
      if (own.length > 0) await syncFolder(folder);
    },
  };
}

function encodeHead(resumable: Resumable, body: Uint8Array): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(resumable));
  const length = (json.length + 3) & ~3;
  const head = new Uint8Array(HEAD_AT + length).fill(SPACE);
  head.set(json, HEAD_AT);
  const view = new DataView(head.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(LENGTH_AT, length, true);
  view.setUint32(SUM_AT, checksum(body, checksum(head.subarray(LENGTH_AT))), true);
  return head;
}

/** What a file holds, or what is wrong with it. The bytes are a view of the file's. */
export function decodeCheckpointFile(contents: Uint8Array): { bytes: Uint8Array; resumable: Resumable } | string {
  if (contents.length < HEAD_AT) return `it has only ${contents.length} bytes`;
  const view = new DataView(contents.buffer, contents.byteOffset, contents.byteLength);
  if (view.getUint32(0, true) !== MAGIC) return 'it is not a checkpoint';
  const bodyAt = HEAD_AT + view.getUint32(LENGTH_AT, true);
  if (bodyAt > contents.length) return 'it is cut off';
  // No Buffer: its slice() copies nothing, and others count on a copy.
  const bytes = new Uint8Array(contents.buffer, contents.byteOffset + bodyAt, contents.byteLength - bodyAt);
  if (view.getUint32(SUM_AT, true) !== checksum(bytes, checksum(contents.subarray(LENGTH_AT, bodyAt))))
    return 'its checksum is wrong';
  const resumable = JSON.parse(new TextDecoder().decode(contents.subarray(HEAD_AT, bodyAt))) as Resumable;
  return { bytes, resumable };
}

/** A new name is on the disk only when its folder is. Windows opens no folders, and needs none of this. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform !== 'win32') await withFile(folder, 'r', (file) => file.sync());
}

async function withFile(path: string, flags: string, use: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, flags);
  try {
    await use(file);
  } finally {
    await file.close();
  }
}

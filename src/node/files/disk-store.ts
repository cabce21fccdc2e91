import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { checksum } from '../../core/wire/checksum.ts';
import type { CheckpointStore } from '../../host/checkpoint-keeper.ts';
import type { Resumable } from '../../host/state.ts';
import { flushFolder, PART_ENDING, writeWhole } from './write-whole.ts';

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
/** They sort by age: the sequence has as many digits as it will ever need. */
const NAME = /^\d{12}-[A-Za-z0-9-]{1,64}\.checkpoint$/;

export interface DiskStoreListener {
  /** The file and its name are on the disk. */
  onSaved(saved: { readonly id: string; readonly version: number; readonly sizeBytes: number }): void;
  /** A file that cannot be used, in words; the one before it is tried. */
  onSkipped(text: string): void;
}

/** Keeps checkpoints in a folder. A save is whole or not there, whenever the process or the machine stops. The last three of a run stay. */
export function diskStore(folder: string, { onSaved, onSkipped }: DiskStoreListener): CheckpointStore {
  const names = () => readdir(folder).catch((): string[] => []);
  /** The newest first. */
  const list = async () =>
    (await names())
      .filter((name) => NAME.test(name))
      .sort()
      .reverse();
  const remove = (old: readonly string[]) => Promise.all(old.map((name) => rm(join(folder, name), { force: true })));

  return {
    async save(id, bytes, meta) {
      await mkdir(folder, { recursive: true });
      const before = await list();
      const sequence = Number.parseInt(before[0] ?? '0', 10) + 1;
      const path = join(folder, `${String(sequence).padStart(12, '0')}-${id}.checkpoint`);
      const head = encodeHead({ ...meta, savedAtMs: Date.now() }, bytes);
      // What a crash left half-written is as large as a checkpoint.
      await remove((await names()).filter((name) => name.endsWith(PART_ENDING)));
      await writeWhole(path, [head, bytes]);
      onSaved({ id, version: meta.version, sizeBytes: head.length + bytes.length });
      await remove(before.filter(isOf(id)).slice(KEPT - 1));
    },
    async latest() {
      for (const name of await list()) {
        const found = decodeCheckpointFile(await readFile(join(folder, name)));
        if (typeof found !== 'string') return found;
        onSkipped(`The checkpoint ${name} cannot be used: ${found}. The one before it is tried.`);
      }
      return null;
    },
    async drop(id) {
      const own = (await list()).filter(isOf(id));
      await remove(own);
      if (own.length > 0) await flushFolder(folder);
    },
  };
}

const isOf = (id: string) => (name: string) => name.slice(13) === `${id}.checkpoint`;

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

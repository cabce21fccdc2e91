import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { newCode, newSecret } from '../net/join/invite.ts';
import { writeWhole } from './files/write-whole.ts';

const text = z.string().check(z.minLength(1));
const roomSchema = z.object({
  code: text,
  /** Proves to signalling that a process started anew is the same host. */
  token: text,
  /** What invites are made from. */
  secret: text,
  banned: z.array(z.string()),
});
/** Who a host in this folder is, and whom it has removed. */
export type KeptRoom = z.infer<typeof roomSchema>;

/** The room of this folder: made at first use and the same ever after, so that its workers find it again. */
export async function keptRoom(folder: string): Promise<KeptRoom> {
  await mkdir(folder, { recursive: true });
  const json = await readFile(pathIn(folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (json !== null) return readRoom(json, pathIn(folder));
  const room = { code: newCode(), token: newSecret(), secret: newSecret(), banned: [] };
  await keepRoom(folder, room);
  return room;
}

/** Keeps the room as it is now. Only this user may read the file: whoever has it can pass for the host. */
export const keepRoom = (folder: string, room: KeptRoom): Promise<void> =>
  writeWhole(pathIn(folder), `${JSON.stringify(room, null, 2)}\n`, 0o600);

const pathIn = (folder: string) => join(folder, 'room.json');

function readRoom(json: string, path: string): KeptRoom {
  try {
    return roomSchema.parse(JSON.parse(json));
  } catch {
    throw new Error(`${path} is not the file of a room: remove it, and a new room with a new link is made`);
  }
}

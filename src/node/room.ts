import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText } from '../experiment/error-text.ts';
import { newCode, newSecret } from '../net/join/invite.ts';
import { writeWhole } from './files/write-whole.ts';

/** Who a host in this folder is, and whom it has removed. */
export interface KeptRoom {
  readonly code: string;
  /** Proves to signalling that a process started anew is the same host. */
  readonly token: string;
  /** What invites are made from. */
  readonly secret: string;
  readonly banned: readonly string[];
}

/** The room of this folder: made at first use and the same ever after, so that its workers find it again. */
export async function keptRoom(folder: string): Promise<KeptRoom> {
  await mkdir(folder, { recursive: true });
  const text = await readFile(pathIn(folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text !== null) return readRoom(text, pathIn(folder));
  const room = { code: newCode(), token: newSecret(), secret: newSecret(), banned: [] };
  await keepRoom(folder, room);
  return room;
}

/** Keeps the room as it is now. Only this user may read the file: whoever has it can pass for the host. */
export const keepRoom = (folder: string, room: KeptRoom): Promise<void> =>
  writeWhole(pathIn(folder), `${JSON.stringify(room, null, 2)}\n`, 0o600);

const pathIn = (folder: string) => join(folder, 'room.json');

function readRoom(text: string, path: string): KeptRoom {
  try {
    const { code, token, secret, banned } = JSON.parse(text) as Record<string, unknown>;
    const isRoom = [code, token, secret].every((part) => typeof part === 'string' && part !== '');
    if (!isRoom || !Array.isArray(banned)) throw new TypeError('a part is missing');
    return { code, token, secret, banned: banned.map(String) } as KeptRoom;
  } catch (error) {
    throw new Error(
      `${path} is not the file of a room (${errorText(error)}): remove it, and a new room with a new link is made`,
    );
  }
}

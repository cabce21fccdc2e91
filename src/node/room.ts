import { randomBytes, randomInt } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { newSecret } from '../net/join/invite.ts';

/** No letters or digits that are taken for each other when read aloud or off a beamer. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const CODE_LENGTH = 6;

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
  const code = Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  const room = { code, token: randomBytes(16).toString('hex'), secret: newSecret(), banned: [] };
  await keepRoom(folder, room);
  return room;
}

/** Keeps the room as it is now. Only this user may read the file: whoever has it can pass for the host. */
export async function keepRoom(folder: string, room: KeptRoom): Promise<void> {
  const temporary = `${pathIn(folder)}.tmp`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(room, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, pathIn(folder));
}

const pathIn = (folder: string) => join(folder, 'room.json');

function readRoom(text: string, path: string): KeptRoom {
  try {
    const { code, token, secret, banned } = JSON.parse(text) as Record<string, unknown>;
    const isRoom = [code, token, secret].every((part) => typeof part === 'string' && part !== '');
    if (!isRoom || !Array.isArray(banned)) throw new TypeError('a part is missing');
    return { code, token, secret, banned: banned.map(String) } as KeptRoom;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${path} is not the file of a room (${why}): remove it, and a new room with a new link is made`);
  }
}

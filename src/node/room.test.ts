import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lockFolder } from './files/folder-lock.ts';
import { keepRoom, keptRoom } from './room.ts';

async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'manyhands-room-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test('a folder has one room, the same ever after, that others cannot read', async () => {
  const folder = join(await freshFolder(), 'new');
  const room = await keptRoom(folder);
  expect(room.code).toMatch(/^[a-z0-9]{6}$/);
  expect(await keptRoom(folder)).toEqual(room);
  expect((await stat(join(folder, 'room.json'))).mode & 0o077).toBe(0);
  await keepRoom(folder, { ...room, banned: ['0123'] });
  expect(await keptRoom(folder)).toEqual({ ...room, banned: ['0123'] });
  expect(await readdir(folder)).toEqual(['room.json']);
});

test.each(['', '{', '{}', '{"code":"abcdef","token":"t","secret":"s"}'])(
  'a room file with "%s" is refused with the thing to do, and left as it is',
  async (text) => {
    const folder = await freshFolder();
    await writeFile(join(folder, 'room.json'), text);
    await expect(keptRoom(folder)).rejects.toThrow('remove it');
    expect(await readFile(join(folder, 'room.json'), 'utf8')).toBe(text);
  },
);

test('a folder is one process’s at a time; what a killed process held is free', async () => {
  const folder = await freshFolder();
  // This process's parent is alive, and is not this process.
  await writeFile(join(folder, 'in-use-by'), `${process.ppid}\n`);
  await expect(lockFolder(folder)).rejects.toThrow(`process ${process.ppid}`);
  for (const gone of ['999999999\n', '', 'nonsense']) {
    await writeFile(join(folder, 'in-use-by'), gone);
    const unlock = await lockFolder(folder);
    expect(await readFile(join(folder, 'in-use-by'), 'utf8')).toBe(`${process.pid}\n`);
    await unlock();
    expect(await readdir(folder)).toEqual([]);
  }
});

import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeWhole } from './write-whole.ts';

async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'manyhands-whole-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test('a file has its text, or its parts in order, and the mode it was given', async () => {
  const folder = await freshFolder();
  await writeWhole(join(folder, 'a'), 'text', 0o600);
  await writeWhole(join(folder, 'b'), [Uint8Array.of(1, 2), new Uint8Array(), Uint8Array.of(3)]);
  expect(await readFile(join(folder, 'a'), 'utf8')).toBe('text');
  expect((await stat(join(folder, 'a'))).mode & 0o077).toBe(0);
  expect([...(await readFile(join(folder, 'b')))]).toEqual([1, 2, 3]);
  expect((await readdir(folder)).sort()).toEqual(['a', 'b']);
});

test('whoever reads while many write sees one of them whole', async () => {
  const folder = await freshFolder();
  const path = join(folder, 'a');
  await writeFile(path, 'x'.repeat(100_000));
  const writing = Promise.all(Array.from('bcdefgh', (letter) => writeWhole(path, letter.repeat(100_000))));
  let isDone = false;
  void writing.finally(() => {
    isDone = true;
  });
  while (!isDone) expect(await readFile(path, 'utf8')).toMatch(/^(.)\1{99999}$/);
  await writing;
  expect(await readdir(folder)).toEqual(['a']);
});

test('what cannot be put in place leaves nothing behind', async () => {
  const folder = await freshFolder();
  await mkdir(join(folder, 'a', 'full'), { recursive: true });
  await expect(writeWhole(join(folder, 'a'), 'text')).rejects.toThrow();
  expect(await readdir(folder)).toEqual(['a']);
});

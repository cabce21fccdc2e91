import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readJsonPath, writeJson } from './json-file.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'manyhands-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('a path is looked at and nothing is made before there is something to write', async () => {
  const path = join(folder, 'report.json');
  expect(await readJsonPath({ json: path })).toBe(path);
  expect(await readdir(folder)).toEqual([]);
  await writeJson(path, { steps: 3 });
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ steps: 3 });
  expect(await readJsonPath({ json: path })).toBe(path);
});

test('a folder, and a file in a folder that is not there, are refused before any work', async () => {
  await expect(readJsonPath({ json: folder })).rejects.toThrow('is a folder: give the name of a file');
  await expect(readJsonPath({ json: join(folder, 'no', 'x.json') })).rejects.toThrow('(ENOENT): choose a file');
});

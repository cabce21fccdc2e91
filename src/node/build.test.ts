import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fingerprint } from './build.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'project-'));
  mkdirSync(join(root, 'src/core'), { recursive: true });
  mkdirSync(join(root, 'public/data'), { recursive: true });
  writeFileSync(join(root, 'src/core/a.ts'), 'one');
  writeFileSync(join(root, 'package-lock.json'), '{}');
});
afterEach(() => rmSync(root, { recursive: true }));

const changes: Record<string, () => void> = {
  'a source is edited': () => writeFileSync(join(root, 'src/core/a.ts'), 'two'),
  'a source appears': () => writeFileSync(join(root, 'src/b.ts'), ''),
  'a source goes': () => rmSync(join(root, 'src/core/a.ts')),
  'the lockfile changes': () => writeFileSync(join(root, 'package-lock.json'), '{ }'),
  'data appears': () => writeFileSync(join(root, 'public/data/x.gz'), 'x'),
};

test.each(Object.entries(changes))('the fingerprint changes when %s', async (_, change) => {
  const before = await fingerprint(root);
  change();
  expect(await fingerprint(root)).not.toBe(before);
});

test('the fingerprint stays when only tests, docs or times change', async () => {
  const before = await fingerprint(root);
  writeFileSync(join(root, 'src/core/a.test.ts'), 'test');
  writeFileSync(join(root, 'README.md'), 'words');
  writeFileSync(join(root, 'src/core/a.ts'), 'one');
  expect(await fingerprint(root)).toBe(before);
});

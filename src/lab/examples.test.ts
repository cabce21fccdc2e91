import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { layOut } from './layout.ts';
import { parseSweep, quickened } from './sweep.ts';

const folder = new URL('../../examples/', import.meta.url);

test.each(readdirSync(folder))('examples/%s can be run whole and quickly', (name) => {
  const sweep = parseSweep(JSON.parse(readFileSync(new URL(name, folder), 'utf8')));
  expect(layOut(quickened(sweep)).length).toBeGreaterThan(1);
  expect(layOut(sweep).length).toBeGreaterThan(1);
});

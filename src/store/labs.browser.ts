import { beforeEach, expect, test } from 'vitest';
import { closeDatabase, database } from './database.ts';
import { type LabRecord, type LabRunRecord, labStore } from './labs.ts';

beforeEach(async () => {
  const db = await database();
  await Promise.all([db.clear('labs'), db.clear('lab-runs')]);
});

const lab = (id: string, startedAtMs = 1): LabRecord => ({
  id,
  startedAtMs,
  isQuick: true,
  source: 'batch',
  sweep: { name: 'batch' },
  repeats: null,
  takesFile: false,
  file: null,
  keepsLargeModels: false,
});
const run = (of: string, key: string, steps = 1) => ({ lab: of, key, report: { steps }, failure: null, model: null });

test('labs come back newest first, also after the database was closed', async () => {
  await labStore.save(lab('a', 1));
  await labStore.save(lab('b', 2));
  await closeDatabase();
  expect(await labStore.list()).toEqual([lab('b', 2), lab('a', 1)]);
  expect(await labStore.read('a')).toEqual(lab('a', 1));
  expect(await labStore.read('c')).toBeUndefined();
});

test('a run is kept under its lab and key, a second try in place of the first', async () => {
  await Promise.all(['a', 'ab'].map((id) => labStore.save(lab(id))));
  await labStore.saveRun(run('a', '02-async'));
  await labStore.saveRun(run('a', '01-sync'));
  await labStore.saveRun(run('ab', '01-sync', 9));
  await labStore.saveRun(run('a', '01-sync', 5));
  expect(await labStore.runs('a')).toEqual([run('a', '01-sync', 5), run('a', '02-async')]);
  expect(await labStore.runs('ab')).toHaveLength(1);
});

test('a deleted lab takes its runs along, and no late run brings them back', async () => {
  await Promise.all(['a', 'ab'].map((id) => labStore.save(lab(id))));
  await labStore.saveRun(run('a', '01'));
  await labStore.saveRun(run('ab', '01'));
  await labStore.remove('a');
  expect(await labStore.saveRun(run('a', '02'))).toBe(false);
  expect(await labStore.runs('a')).toEqual([]);
  expect(await labStore.runs('ab')).toHaveLength(1);
  expect((await labStore.list()).map(({ id }) => id)).toEqual(['ab']);
});

test('a model is kept with its run, and comes back to the bit', async () => {
  const params = Float32Array.from({ length: 3_000_000 }, (_, i) => Math.sin(i));
  await labStore.save(lab('a'));
  await labStore.saveRun({ ...run('a', '01'), model: { version: 40, params: new Blob([params]) } });
  await closeDatabase();
  const [kept] = await labStore.runs('a');
  const found = new Float32Array((await kept?.model?.params.arrayBuffer()) ?? new ArrayBuffer(0));
  expect(kept?.model?.version).toBe(40);
  expect(found.length).toBe(params.length);
  expect(found.every((value, at) => value === params[at])).toBe(true);
});

test('what is none of ours is not listed', async () => {
  const db = await database();
  await labStore.save(lab('a'));
  await db.put('labs', { id: 'b', startedAtMs: 2 } as LabRecord);
  await db.put('lab-runs', { lab: 'a', key: '01' } as LabRunRecord);
  expect(await labStore.list()).toEqual([lab('a')]);
  expect(await labStore.runs('a')).toEqual([]);
  expect(await labStore.read('b')).toBeUndefined();
});

import { deleteDB, openDB } from 'idb';
import { beforeEach, expect, test } from 'vitest';
import { defaultExperiment } from '../experiment/experiment.ts';
import type { RunLog } from '../observe/run-log.ts';
import { dropCheckpoint, latestCheckpoint, saveCheckpoint } from './checkpoints.ts';
import { closeDatabase, database } from './database.ts';
import { keepFile, readFile } from './files.ts';
import { deleteRun, listRuns, saveRun } from './runs.ts';

beforeEach(async () => {
  const db = await database();
  await Promise.all([db.clear('checkpoints'), db.clear('runs'), db.clear('files')]);
});

const bytes = (...values: number[]) => Uint8Array.from(values);

/** Changes one byte of the newest record of a run, as a torn write would. */
async function tear(id: string): Promise<void> {
  const latest = await latestCheckpoint(id);
  if (latest === null) throw new Error('nothing to tear');
  const torn = latest.bytes.slice();
  torn[0] = (torn[0] ?? 0) ^ 1;
  await (await database()).put('checkpoints', { ...latest, bytes: torn });
}

test('the latest checkpoint comes back with its meta, also after the database was closed', async () => {
  for (let i = 1; i <= 5; i++) await saveCheckpoint('a', bytes(i, i), { version: i });
  await closeDatabase();
  expect(await latestCheckpoint('a')).toMatchObject({ id: 'a', bytes: bytes(5, 5), meta: { version: 5 } });
  expect(await (await database()).count('checkpoints')).toBe(2);
});

test('a checkpoint larger than a value of the database may be comes back whole', async () => {
  const large = new Uint8Array(140 << 20);
  large[large.length - 1] = 7;
  await saveCheckpoint('large', large, null);
  const found = await latestCheckpoint('large');
  expect(found?.bytes.length).toBe(large.length);
  expect(found?.bytes.at(-1)).toBe(7);
});

test('a torn checkpoint gives way to the one before, and two torn ones to none', async () => {
  await saveCheckpoint('a', bytes(1), null);
  await saveCheckpoint('a', bytes(2), null);
  await tear('a');
  expect((await latestCheckpoint('a'))?.bytes).toEqual(bytes(1));
  await tear('a');
  expect(await latestCheckpoint('a')).toBeNull();
  await saveCheckpoint('a', bytes(3), null);
  expect((await latestCheckpoint('a'))?.bytes).toEqual(bytes(3));
});

test('without an id the newest of all runs comes back', async () => {
  await saveCheckpoint('a', bytes(1), null);
  await new Promise((resolve) => setTimeout(resolve, 5));
  await saveCheckpoint('b', bytes(2), null);
  expect((await latestCheckpoint())?.id).toBe('b');
  await dropCheckpoint('b');
  expect((await latestCheckpoint())?.id).toBe('a');
  expect(await latestCheckpoint('b')).toBeNull();
});

test('a run whose name starts like another is another', async () => {
  await saveCheckpoint('a', bytes(1), null);
  await saveCheckpoint('ab', bytes(2), null);
  await dropCheckpoint('a');
  expect(await latestCheckpoint('a')).toBeNull();
  expect((await latestCheckpoint('ab'))?.bytes).toEqual(bytes(2));
});

test('only the bytes of a view are stored, not the buffer under it', async () => {
  const buffer = new Uint8Array(1000).fill(7);
  await saveCheckpoint('a', buffer.subarray(10, 14), null);
  expect((await latestCheckpoint('a'))?.bytes.buffer.byteLength).toBe(4);
});

test('checkpoints of forgotten runs do not pile up', async () => {
  for (let run = 0; run < 12; run++) await saveCheckpoint(`run ${run}`, bytes(run), null);
  expect(await (await database()).count('checkpoints')).toBe(8);
  expect(await latestCheckpoint('run 11')).not.toBeNull();
});

const log = (id: string, startedAtMs: number): RunLog => ({
  id,
  experiment: defaultExperiment,
  startedAtMs,
  summary: null,
  end: null,
  train: [{ step: 1, elapsedMs: 2, wallMs: 3, loss: 2.3 }],
  test: [{ step: 1, elapsedMs: 2, wallMs: 3, loss: 2.3, examples: 100, accuracy: 0.1, precisions: [], auc: null }],
  workerCurves: [{ worker: 1, points: [{ step: 1, elapsedMs: 2, wallMs: 3, loss: 2.3, accuracy: 0.1 }] }],
  resources: [],
  timeline: { steps: [], spans: [] },
  profile: null,
});

test('runs come back newest first, saved anew in place, and can be deleted', async () => {
  await saveRun(log('old', 1));
  await saveRun(log('new', 2));
  await saveRun({ ...log('old', 1), train: [] });
  expect(await listRuns()).toEqual([log('new', 2), { ...log('old', 1), train: [] }]);
  await deleteRun('new');
  expect((await listRuns()).map(({ id }) => id)).toEqual(['old']);
});

test('a run kept before a setting existed has the usual one', async () => {
  const { experiment, ...older } = log('older', 1);
  const { emulate, ...known } = experiment;
  await (await database()).put('runs', { ...older, experiment: known } as unknown as RunLog);
  expect(await listRuns()).toEqual([log('older', 1)]);
});

test('what a version of another shape kept is gone, and new things are kept', async () => {
  await closeDatabase();
  await deleteDB('manyhands');
  const older = await openDB('manyhands', 2, { upgrade: (db) => void db.createObjectStore('runs') });
  await older.put('runs', 'of another shape', 'a');
  older.close();
  expect(await listRuns()).toEqual([]);
  await saveRun(log('new', 1));
  expect(await listRuns()).toHaveLength(1);
});

test('the oldest of more than fifty runs goes', async () => {
  for (let i = 0; i < 52; i++) await saveRun(log(`run ${i}`, i));
  const ids = (await listRuns()).map(({ id }) => id);
  expect(ids).toHaveLength(50);
  expect([ids[0], ids[49]]).toEqual(['run 51', 'run 2']);
});

test('a file that was never kept is undefined, a kept one comes back', async () => {
  expect(await readFile('x')).toBeUndefined();
  await keepFile('x', bytes(1, 2, 3));
  expect(await readFile('x')).toEqual(bytes(1, 2, 3));
});

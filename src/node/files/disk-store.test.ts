import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { rng } from '../../core/math/rng.ts';
import { defaultExperiment } from '../../experiment/experiment.ts';
import { diskStore } from './disk-store.ts';

async function emptyStore() {
  const folder = await mkdtemp(join(tmpdir(), 'manyhands-disk-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const skipped: string[] = [];
  const saved: number[] = [];
  const store = diskStore(folder, {
    onSaved: ({ version }) => saved.push(version),
    onSkipped: (text) => skipped.push(text),
  });
  const save = (version: number, id = 'run') =>
    store.save(id, bytesOf(version), { id, experiment: defaultExperiment, version, file: null });
  const files = async () => (await readdir(folder)).sort();
  return { folder, store, skipped, saved, save, files };
}

/** Bytes that follow from a number. */
function bytesOf(seed: number): Uint8Array {
  const random = rng(seed);
  return Uint8Array.from({ length: 5000 }, () => random.below(256));
}

test('gives back the newest of what was saved, and says so once it is on the disk', async () => {
  const { store, save, saved } = await emptyStore();
  expect(await store.latest()).toBeNull();
  for (const version of [1, 2]) await save(version);
  const found = await store.latest();
  expect(found?.bytes).toEqual(bytesOf(2));
  expect(found?.resumable).toMatchObject({ id: 'run', version: 2, experiment: defaultExperiment });
  expect(saved).toEqual([1, 2]);
});

test('keeps the last three of a run and nothing half-written', async () => {
  const { save, files } = await emptyStore();
  for (let version = 1; version <= 6; version++) await save(version);
  expect(await files()).toEqual([4, 5, 6].map((n) => `${String(n).padStart(12, '0')}-run.checkpoint`));
});

test('whatever one byte or length of the newest becomes, the one before it is used and words are said (seed 5)', async () => {
  const { folder, store, skipped, save, files } = await emptyStore();
  for (const version of [1, 2]) await save(version);
  const newest = join(folder, (await files()).at(-1) ?? '');
  const whole = await readFile(newest);
  const random = rng(5);
  for (let round = 0; round < 40; round++) {
    const damaged = Buffer.from(whole);
    const at = random.below(damaged.length);
    if (round % 2 === 0) {
      damaged[at] = (damaged[at] ?? 0) ^ (1 << random.below(8));
      await writeFile(newest, damaged);
    } else {
      await writeFile(newest, damaged);
      await truncate(newest, at);
    }
    expect((await store.latest())?.resumable.version, `round ${round}, at ${at}`).toBe(1);
    expect(skipped).toHaveLength(round + 1);
  }
  expect(skipped[0]).toContain('000000000002-run.checkpoint cannot be used');
});

test('what a crash left half-written is no checkpoint and in nobody’s way', async () => {
  const { folder, store, save, files } = await emptyStore();
  await save(1);
  await writeFile(join(folder, '000000000002-other.checkpoint.1234.part'), bytesOf(9));
  expect((await store.latest())?.resumable.version).toBe(1);
  await save(2);
  expect(await files()).toHaveLength(2);
});

test('dropping a run leaves those of others', async () => {
  const { store, save } = await emptyStore();
  await save(7, 'one');
  await save(8, 'two');
  await store.drop('two');
  expect((await store.latest())?.resumable).toMatchObject({ id: 'one', version: 7 });
  await store.drop('one');
  expect(await store.latest()).toBeNull();
});

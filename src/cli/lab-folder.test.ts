import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { reportOf } from '../export/report-for-tests.ts';
import type { LabSetting } from '../lab/files.ts';
import { layOut } from '../lab/layout.ts';
import { parseSweep } from '../lab/sweep.ts';
import { LabFolder } from './lab-folder.ts';

let path = '';
beforeEach(async () => {
  path = join(await mkdtemp(join(tmpdir(), 'lab-')), 'out');
});
afterEach(() => rm(join(path, '..'), { recursive: true }));

const sweep = parseSweep({ name: 'tiny', vary: { batch: [10, 20] } });
const setting: LabSetting = { sweep, isQuick: false, host: 'tab', backend: 'auto', file: null };
const [first, second] = layOut(sweep);
if (first === undefined || second === undefined) throw new Error('two runs');

const open = (changes: Partial<LabSetting> = {}) => LabFolder.open(path, { ...setting, ...changes }, 0);
const trained = { report: null, failure: null, model: null, problems: [], machine: { cores: 2 } };
const report = reportOf({ steps: 5, experiment: second.experiment });

test('what came of a run is found again if it is the same experiment', async () => {
  const folder = await open();
  await folder.keep({ ...first, report: null, failure: 'it broke' }, { ...trained, failure: 'it broke' });
  await folder.keep({ ...second, report, failure: null }, { ...trained, report });
  await mkdir(join(path, 'runs', 'torn.part'));
  await folder.close();

  const again = await open();
  const { outcomes, machine } = await again.load([first, second]);
  expect(outcomes).toEqual([
    { ...first, report: null, failure: 'it broke' },
    { ...second, report, failure: null },
  ]);
  expect(machine).toEqual({ cores: 2 });
  expect(await readdir(join(path, 'runs'))).toEqual([first.key, second.key]);
  const other = { ...second, experiment: { ...second.experiment, lr: 9 } };
  expect((await again.load([other])).outcomes).toEqual([]);
  await again.close();
});

test('the folder remembers when the sweep first began, and takes more repeats of it', async () => {
  await (await LabFolder.open(path, setting, 5000)).close();
  const again = await LabFolder.open(path, { ...setting, sweep: { ...sweep, repeats: 3 } }, 9000);
  expect(again.startedAt).toBe('1970-01-01T00:00:05.000Z');
  expect(JSON.parse(await readFile(join(path, 'sweep.json'), 'utf8'))).toMatchObject({ sweep: { repeats: 3 } });
  await again.close();
});

test.each([
  [{ sweep: { ...sweep, name: 'other' } }, 'has the sweep tiny, not other: choose another folder'],
  [{ sweep: { ...sweep, base: { lr: 0.1 } } }, 'has a sweep tiny of other settings: choose another folder'],
  [{ isQuick: true }, 'the whole of this sweep: leave out --quick'],
  [{ host: 'relay' }, 'this sweep with --host tab'],
  [{ backend: 'wasm' }, 'this sweep with --backend auto'],
  [{ file: '/clicks.tsv' }, 'this sweep with no file'],
] satisfies [Partial<LabSetting>, string][])('a folder of another sweep is refused: %j', async (changes, words) => {
  await (await open()).close();
  await expect(open(changes)).rejects.toThrow(words);
  await (await open()).close();
});

test('a folder of other things is refused and left as it was', async () => {
  await mkdir(path);
  await writeFile(join(path, 'thesis.txt'), 'mine');
  await expect(open()).rejects.toThrow('holds other things than a sweep');
  expect(await readdir(path)).toEqual(['thesis.txt']);
});

test('a folder that another process works in is refused, with the file to remove if that is not so', async () => {
  await (await open()).close();
  await writeFile(join(path, 'in-use-by'), `${process.ppid}\n`);
  await expect(open()).rejects.toThrow(`is in use by another sweep that is being run`);
  await expect(open()).rejects.toThrow(`remove ${join(path, 'in-use-by')}`);
  await rm(join(path, 'in-use-by'));
  await (await open()).close();
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { layOut } from '../lab/layout.ts';
import { UsageError } from '../node/usage-error.ts';
import { readArguments } from './command-line.ts';
import { labCommand } from './lab-command.ts';
import { readLabOptions } from './lab-options.ts';

const folder = mkdtempSync(join(tmpdir(), 'lab-options-'));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (...words: string[]) => readLabOptions(readArguments(labCommand, words));
function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test('a preset, its quick size and repeats make a sweep', async () => {
  const options = await read('lenet-batch', '--quick', '--out', 'x', '--repeats', '2', '--only', 'Batch 64');
  expect(options).toMatchObject({ isQuick: true, out: 'x', host: 'tab', backend: 'auto', sweep: { repeats: 2 } });
  const wanted = layOut(options.sweep).filter((run) => options.isWanted(run));
  expect(wanted.map(({ key }) => key)).toEqual(['02-batch-64', '02-batch-64-r2']);
});

test('workers may be asked for with the letter x, and sync is no part of async', async () => {
  const { sweep, isWanted } = await read('mnist-softmax-cluster', '--quick', '--out', 'x', '--only', 'sync x 2');
  expect(
    layOut(sweep)
      .filter(isWanted)
      .map(({ label }) => label),
  ).toEqual(['sync × 2']);
});

test.each([
  [['lenet-batch'], '--out <folder> is needed'],
  [['nowhere', '--out', 'x'], '"nowhere" is neither a sweep nor a file that can be read (ENOENT); there is: mnist'],
  [['lenet-batch', '--out', 'x', '--only', 'banana'], '--only "banana" is in the name of no run; there is: 1 worker'],
  [['lenet-batch', '--out', 'x', '--repeats', '0'], '--repeats takes a whole number from 1 to 100'],
  [['lenet-batch', '--out', 'x', '--repeats', '99'], 'lenet-batch: the sweep has 1782 runs; at most 500'],
  [['lenet-batch', 'lenet-sgd', '--out', 'x'], 'one <sweep> is needed, 2 came'],
  [[], 'one <sweep> is needed, 0 came'],
])('%j is refused in one line', async (words, line) => {
  const refused = async () => read(...words);
  await expect(refused).rejects.toThrow(UsageError);
  await expect(refused).rejects.toThrow(line);
  await expect(refused).rejects.toThrow(/^[^\n]+$/);
});

test.each([
  ['{ "name": "a", ', 'it is not JSON'],
  ['{ "name": "a", "vary": { "batch": [1, 2, 0] } }', 'vary.batch[2] must be a whole number from 1 to 60,000'],
  ['{ "name": "a", "vary": { "model": ["lenet", "alexnet"] } }', 'alexnet: data: the model alexnet needs images of'],
  ['{ "name": "a", "vary": { "workers": [65] } }', 'a has runs of 65 workers; at most 64 tabs are opened'],
])('the file %s is refused with its place', async (text, words) => {
  await expect(read(file('wrong.json', text), '--out', 'x')).rejects.toThrow(words);
});

test('a sweep takes other data, and a file of examples by its path', async () => {
  expect((await read('lenet-sgd', '--out', 'x', '--data', 'fashion-mnist')).sweep.base.data).toBe('fashion-mnist');
  const path = file('clicks.libsvm', '1 3:1\n');
  const { sweep, file: examples } = await read('sparse-batch', '--out', 'x', '--data', path);
  expect(sweep.base.data).toBe('file');
  expect(examples).toMatchObject({ path, format: 'libsvm' });
  const needy = file('needy.json', '{ "name": "needy", "base": { "model": "sparse-logistic", "data": "file" } }');
  await expect(read(needy, '--out', 'x')).rejects.toThrow('data is a file: give its path as --data');
});

test('a file without a quick size says so', async () => {
  const path = file('whole.json', '{ "name": "whole" }');
  await expect(read(path, '--out', 'x', '--quick')).rejects.toThrow('whole has no quick size');
});

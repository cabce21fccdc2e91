import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { initialParams } from '../core/math/params.ts';
import { defaultExperiment, experimentFromQuery } from '../experiment/experiment.ts';
import { resolveExperiment } from '../models/plan.ts';
import { reportOf } from './report-for-tests.ts';
import { type RunFile, runFiles, type TrainedModel } from './run-files.ts';
import { zipBlob } from './zip.ts';

function trained(changes: Partial<typeof defaultExperiment> = {}): TrainedModel {
  const experiment = { ...defaultExperiment, ...changes };
  return { experiment, version: 2, params: initialParams(resolveExperiment(experiment).schema, 1) };
}

const text = (files: readonly RunFile[], path: string) =>
  new TextDecoder().decode(files.find((file) => file.path === path)?.bytes);
const outside = (files: readonly RunFile[]) =>
  files.map(({ path }) => path).filter((path) => !path.startsWith('tensorboard/'));

const whole = runFiles(reportOf(), trained({ model: 'lenet' }));

test('a folder has everything, and its README names every file', () => {
  expect(outside(whole)).toEqual([
    'README.md',
    'run.json',
    'log.jsonl',
    'curves.csv',
    'workers.csv',
    'worker-curves.csv',
    'resources.csv',
    'bytes.csv',
    'operators.csv',
    'trace.json',
    'model/model.json',
    'model/weights.bin',
    'model/model.safetensors',
  ]);
  const readme = text(whole, 'README.md');
  for (const path of outside(whole).slice(1)) expect(readme).toContain(`- \`${path}\``);
  expect(readme).toContain('tensorboard --logdir tensorboard');
});

test('run.json is the report', () => {
  expect(JSON.parse(text(whole, 'run.json'))).toEqual(reportOf());
});

test('the README has what repeats the run, on a command line and in the page', () => {
  const readme = text(whole, 'README.md');
  expect(readme).toContain('npm run train -- --workers 2 --until-loss 0.35\n');
  const [, query = ''] = readme.match(/^#(\w+=.*)$/m) ?? [];
  expect(experimentFromQuery(new URLSearchParams(query))).toEqual(reportOf().experiment);
});

test('what is not there is not promised', () => {
  const files = runFiles(reportOf({ profile: null, timeline: { steps: [], spans: [] } }), null);
  const readme = text(files, 'README.md');
  for (const path of ['operators.csv', 'trace.json', 'model/']) {
    expect(outside(files).some((one) => one.startsWith(path))).toBe(false);
    expect(readme).not.toContain(path);
  }
});

test('a sparse model comes as safetensors only, and the README says why', () => {
  const sparse = { model: 'sparse-logistic', data: 'criteo-fake', optimizer: 'ftrl', lr: 0.1, features: 100 } as const;
  const files = runFiles(reportOf(), trained(sparse));
  expect(outside(files).filter((path) => path.startsWith('model/'))).toEqual(['model/model.safetensors']);
  expect(text(files, 'README.md')).toContain('There is no `model.json`');
});

const unzipped = async (zip: Blob) => unzipSync(new Uint8Array(await zip.arrayBuffer()));

test('a zip has the files as they are: weights stored, texts made smaller', async () => {
  const zip = await zipBlob(whole);
  const files = await unzipped(zip);
  expect(Object.keys(files)).toEqual(whole.map(({ path }) => path));
  for (const { path, bytes } of whole) expect(Buffer.compare(files[path] ?? new Uint8Array(), bytes)).toBe(0);
  const weights = whole
    .filter(({ path }) => /bin|safetensors$/.test(path))
    .reduce((sum, { bytes }) => sum + bytes.length, 0);
  const texts = whole.reduce((sum, { bytes }) => sum + bytes.length, -weights);
  expect(zip.size).toBeGreaterThan(weights);
  expect(zip.size).toBeLessThan(weights + texts);
});

test('files of a zip are made one by one, whatever their size', async () => {
  const large = new Uint8Array(5_000_000).map((_, i) => i % 251);
  async function* files() {
    yield { path: 'empty.csv', bytes: new Uint8Array(0) };
    for (const path of ['a/weights.bin', 'b/weights.bin']) yield { path, bytes: large };
  }
  const found = await unzipped(await zipBlob(files()));
  expect(Object.entries(found).map(([path, { length }]) => [path, length])).toEqual([
    ['empty.csv', 0],
    ['a/weights.bin', large.length],
    ['b/weights.bin', large.length],
  ]);
  expect(Buffer.compare(found['b/weights.bin'] ?? new Uint8Array(), large)).toBe(0);
});

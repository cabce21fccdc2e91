import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { untilRead } from '../headless/example-file.ts';
import type { ExamplesState } from '../host/example-server.ts';
import { poll } from '../host/watch-run.ts';
import { readExampleFile } from './example-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'manyhands-test-'));
const path = (name: string) => {
  writeFileSync(join(folder, name), '1 2:3\n');
  return join(folder, name);
};
afterAll(() => rmSync(folder, { recursive: true }));

test('a value of --data that names no data set is a path, read as its name tells or as it is said', () => {
  expect(readExampleFile({})).toBeNull();
  expect(readExampleFile({ data: 'criteo-fake' })).toBeNull();
  const tsv = path('clicks.tsv.gz');
  const usual = { kind: 'path', path: tsv, format: 'criteo-tsv', malformedLimit: 100, firstIndex: 1 };
  expect(readExampleFile({ data: tsv })).toEqual(usual);
  const typed = { data: tsv, format: 'libsvm', malformed: '0', 'first-index': '0' };
  expect(readExampleFile(typed)).toEqual({ ...usual, format: 'libsvm', malformedLimit: 0, firstIndex: 0 });
});

test.each([
  [{ data: 'no/such.tsv' }, '--data "no/such.tsv" is not known; there is: mnist'],
  [{ data: folder }, 'is a folder: give the path of a file in it'],
  [{ data: path('clicks.dat') }, 'its name tells no format; say --format criteo-tsv or libsvm or tfrecord'],
  [{ data: path('a.svm'), format: 'csv' }, '--format "csv" is not known'],
  [{ data: path('a.svm'), 'first-index': '2' }, '--first-index "2" is not known'],
  [{ data: 'mnist', malformed: '3' }, '--malformed says how a file is read: give its path as --data'],
])('%j is a mistake in one line', (given, words) => {
  expect(() => readExampleFile(given)).toThrow(words);
});

test('what was found is said once it is read, the skipped lines by number; what cannot be used rejects', async () => {
  const said: string[] = [];
  const listener = { note: (text: string) => said.push(text), progress: (text: string) => said.push(text) };
  const file = { name: 'a.svm', sizeBytes: 9 };
  const states: (ExamplesState | null)[] = [
    null,
    { ...file, phase: 'reading', fraction: 0.256, examples: 1000, malformed: 1 } as const,
    {
      ...{ ...file, phase: 'ready', trainCount: 1800, testCount: 200, entries: 3, features: 9, malformed: 7 },
      problems: ['line 2: bad'],
    } as const,
  ];
  const watch = (look: () => ExamplesState | null) => poll(async () => ({ state: { examples: look() } }), 1);
  await untilRead(
    watch(() => states.shift() ?? null),
    listener,
  );
  expect(said).toEqual([
    'Reading a.svm: 25 %, 1,000 examples, 1 malformed.',
    'a.svm: 1,800 examples to train on, 200 for testing, 7 malformed and skipped.',
    '  line 2: bad',
    '  and 6 more',
  ]);
  const failed = { ...file, phase: 'failed', text: 'a.svm is empty' } as const;
  const reading = untilRead(
    watch(() => failed),
    listener,
  );
  await expect(reading).rejects.toThrow('a.svm is empty');
});

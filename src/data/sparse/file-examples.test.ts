import { describe, expect, it } from 'vitest';
import { SparseBatchBuilder } from '../../core/sparse/batch.ts';
import type { ByteSource } from './byte-source.ts';
import { type FileExamples, openExamples } from './file-examples.ts';
import { identityOf, isSameFile } from './file-identity.ts';
import { exampleProto, gzipped, memorySource, plainExamples, tfRecord, utf8 } from './files-for-tests.ts';
import { HeldOut } from './held-out.ts';
import type { OpenOptions } from './indexed-file.ts';
import { unpackToBlob } from './unpacked-blob.ts';

const FEATURES = 5000;

const open = (source: ByteSource, options: Partial<OpenOptions> = {}) =>
  openExamples(source, { format: 'libsvm', features: FEATURES, unpack: unpackToBlob, onProgress() {}, ...options });

/** Example n has its own number as its value. */
const lines = (count: number, end = '\n') =>
  utf8(Array.from({ length: count }, (_, n) => `${n % 2} ${1 + (n % FEATURES)}:${n}${end}`).join(''));
const numbersOf = (batch: SparseBatchBuilder) => plainExamples(batch).map(({ values }) => values[0] as number);

async function trained(file: FileExamples, seed: number, from: number, count: number): Promise<number[]> {
  const batch = new SparseBatchBuilder();
  await file.train(batch, seed, from, count);
  return numbersOf(batch);
}

async function tested(file: FileExamples): Promise<number[]> {
  const batch = new SparseBatchBuilder();
  await file.test(batch);
  return numbersOf(batch);
}

const rising = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);

describe('a file of 23,456 lines', () => {
  const COUNT = 23_456;
  const bytes = lines(COUNT);
  const source = memorySource('clicks.svm', bytes, 9973);

  it('every tenth example is for testing, and each epoch has all others once, in an order of its own (L1, D3)', async () => {
    const file = await open(source);
    const { trainCount, testCount, index } = file;
    expect([index.examples, trainCount, testCount]).toEqual([COUNT, COUNT - 2345, 2345]);
    const test = await tested(file);
    expect(test).toEqual(Array.from({ length: 2345 }, (_, i) => 10 * i + 9));
    const epochs = await Promise.all([0, 1].map((epoch) => trained(file, 7, epoch * trainCount, trainCount)));
    const rest = Array.from({ length: COUNT }, (_, n) => n).filter((n) => n % 10 !== 9);
    for (const epoch of epochs) expect(rising(epoch)).toEqual(rest);
    expect(epochs[0]).not.toEqual(epochs[1]);
    expect(await trained(file, 8, 0, 100)).not.toEqual(epochs[0]?.slice(0, 100));
    // Neighbours of the file are far apart: the mean step of a random order of 8,000 is a third of that.
    const steps = (epochs[0] ?? []).slice(1).map((n, i) => Math.abs(n - (epochs[0]?.[i] ?? 0)));
    expect(steps.reduce((sum, step) => sum + step, 0) / steps.length).toBeGreaterThan(2500);
  });

  it('any part, in any order and at once, is that part of the epochs', async () => {
    const file = await open(source);
    const whole = await trained(file, 7, 0, 2 * file.trainCount);
    const fresh = await open(source);
    const parts = [40_000, 100, 21_000, 7190, 0, 300].map((from) => ({ from, count: 177 }));
    const read = await Promise.all(parts.map(({ from, count }) => trained(fresh, 7, from, count)));
    parts.forEach(({ from, count }, i) => {
      expect(read[i]).toEqual(whole.slice(from, from + count));
    });
  });

  it('leases nearly in order read the file about once an epoch', async () => {
    let readBytes = 0;
    const counting: ByteSource = {
      ...source,
      async *open(from, until) {
        for await (const chunk of source.open(from, until)) {
          readBytes += chunk.length;
          yield chunk;
        }
      },
    };
    const file = await open(counting);
    readBytes = 0;
    for (let from = 0; from + 300 < file.trainCount; from += 300) {
      await Promise.all([from + 200, from, from + 100].map((at) => trained(file, 7, at, 100)));
    }
    expect(readBytes).toBeLessThanOrEqual(bytes.length);
  });

  it('packed, with CRLF and without a last line end it is the same', async () => {
    const expected = await trained(await open(source), 7, 0, 500);
    const packed = memorySource('clicks.svm.gz', await gzipped(bytes));
    const phases = new Set<string>();
    const unpacked = await open(packed, { onProgress: ({ phase }) => phases.add(phase) });
    expect(await trained(unpacked, 7, 0, 500)).toEqual(expected);
    expect([...phases]).toEqual(['unpacking', 'reading']);
    const crlf = await open(memorySource('clicks.svm', lines(COUNT, '\r\n').slice(0, -2), 9973));
    expect(await trained(crlf, 7, 0, 500)).toEqual(expected);
  });
});

it('malformed lines are counted, named and in no epoch, wherever blocks end', async () => {
  const texts = Array.from({ length: 2500 }, (_, n) => (n % 500 === 499 ? '2 1:1' : `1 5:${n}`));
  const source = memorySource('a.svm', utf8(texts.join('\n')));
  const file = await open(source, { malformedLimit: 5 });
  expect([file.index.examples, file.index.malformed]).toEqual([2495, 5]);
  expect(file.index.problems[0]).toBe('line 500: the label is “2”, not 0, 1 or −1');
  const all = [...(await trained(file, 1, 0, file.trainCount)), ...(await tested(file))];
  expect(rising(all)).toEqual(Array.from({ length: 2500 }, (_, n) => n).filter((n) => n % 500 !== 499));
  await expect(open(source, { malformedLimit: 4 })).rejects.toThrow('5 malformed lines by line 2500, 4 are allowed');
});

it('a line of many megabytes is one malformed line and joins no block', async () => {
  const long = `1 ${'7:1 '.repeat(1_500_000)}7:1`;
  const texts = [
    ...Array.from({ length: 1000 }, (_, n) => `1 5:${n}`),
    long,
    ...Array.from({ length: 50 }, () => '0 6:1'),
  ];
  const file = await open(memorySource('a.svm', utf8(texts.join('\n')), 65_536));
  expect([file.index.examples, file.index.malformed]).toEqual([1050, 1]);
  expect(await trained(file, 1, 0, file.trainCount)).toHaveLength(945);
});

it('records: a bad checksum and a cut-off end are counted', async () => {
  const record = (n: number) =>
    tfRecord(exampleProto({ label: { int64: [n % 2] }, index: { int64: [n, n + 1] }, value: { float: [n, 1] } }));
  const parts = Array.from({ length: 40 }, (_, n) => (n === 4 ? record(n).with(30, 77) : record(n)));
  const bytes = Uint8Array.from(parts.flatMap((part) => [...part])).slice(0, -3);
  const file = await open(memorySource('a.tfrecord', bytes), { format: 'tfrecord' });
  expect([file.index.examples, file.index.malformed, file.index.maxEntries]).toEqual([38, 2, 2]);
  expect(file.index.problems).toEqual([
    'record 5: the checksum of its data is wrong',
    expect.stringMatching(/^record 40: the file ends within it/),
  ]);
  expect(rising([...(await trained(file, 1, 0, 35)), ...(await tested(file))])).toHaveLength(38);
});

it('a file that cannot be trained on says why', async () => {
  const refused = (text: string, options: Partial<OpenOptions> = {}) =>
    expect(open(memorySource('a.svm', utf8(text)), options)).rejects;
  await refused('').toThrow('a.svm is empty: it has 0 bytes');
  await refused('1 2:1').toThrow('a.svm has only 1 example: at least 10 are needed');
  await refused('x\ny\n').toThrow(/no example in the format libsvm.\nline 1: the label is “x”/);
  await refused('\n\n').toThrow('a.svm has no example in the format libsvm.');
  await refused('1 2:1\n'.repeat(200), { format: 'criteo-tsv' }).toThrow('101 malformed lines by line 101');
  const empty = memorySource('a.svm.gz', await gzipped(new Uint8Array(0)));
  await expect(open(empty)).rejects.toThrow('empty once unpacked');
});

it('a file that changes under the run is noticed', async () => {
  const bytes = lines(100);
  const file = await open(memorySource('a.svm', bytes));
  bytes.fill(10, 50, 200);
  await expect(trained(file, 1, 0, 10)).rejects.toThrow('a.svm has changed since it was first read');
});

it('a file is known again by its size and ends, not by its name', async () => {
  const bytes = lines(30_000);
  const identity = await identityOf(memorySource('a.svm', bytes, 50_000));
  expect(isSameFile(identity, await identityOf(memorySource('b.svm', bytes, 999)))).toBe(true);
  expect(isSameFile(identity, await identityOf(memorySource('a.svm', bytes.with(bytes.length - 1, 0))))).toBe(false);
  expect(isSameFile(identity, await identityOf(memorySource('a.svm', bytes.slice(1))))).toBe(false);
  expect((await identityOf(memorySource('tiny', utf8('1')))).sizeBytes).toBe(1);
});

it('of a large file at most 20,000 examples or four million entries are kept, and as many as it says', () => {
  for (const examples of [10, 999, 200_000, 200_001, 1_234_567, 45_840_617]) {
    const kept = new HeldOut(examples, 39 * examples).below(examples);
    expect(kept).toBeLessThanOrEqual(20_000);
    expect(kept).toBeGreaterThan(Math.min(19_000, examples / 11 - 1));
  }
  const wide = new HeldOut(100_000, 100_000 * 2000);
  expect(wide.below(100_000)).toBeLessThanOrEqual(2000);
  let counted = 0;
  for (let n = 0; n < 100_000; n++) {
    if (n % 997 === 0) expect(wide.below(n)).toBe(counted);
    if (wide.has(n)) counted++;
  }
});

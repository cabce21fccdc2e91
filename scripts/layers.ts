import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** What the files of a room may import: other rooms, and packages (`node:` stands for all of Node's own). */
interface Room {
  readonly rooms: readonly string[];
  readonly packages?: readonly string[];
}

const pure = ['experiment', 'core', 'models', 'observe'];
const parts = [...pure, 'net', 'ml', 'data', 'store', 'export'];
const inNode = [...pure, 'net', 'data', 'export', 'host', 'worker'];

/** The layers, from the bottom up. A room that is not named in a list may not be imported from there. */
export const rooms: Readonly<Record<string, Room>> = {
  experiment: { rooms: [], packages: ['zod/mini'] },
  core: { rooms: ['experiment'], packages: ['zod/mini'] },
  models: { rooms: ['experiment', 'core'], packages: ['zod/mini'] },
  observe: { rooms: ['experiment', 'core', 'models'], packages: ['zod/mini'] },
  net: { rooms: ['experiment', 'core', 'models'], packages: ['zod/mini', '@noble/hashes'] },
  ml: { rooms: pure, packages: ['@tensorflow'] },
  store: { rooms: pure, packages: ['zod/mini', 'idb'] },
  data: { rooms: [...pure, 'store'], packages: ['zod/mini'] },
  export: { rooms: pure, packages: ['fflate'] },
  simulate: { rooms: pure, packages: ['zod/mini'] },
  lab: { rooms: [...pure, 'export'], packages: ['zod/mini'] },
  worker: { rooms: parts, packages: ['zod/mini'] },
  host: { rooms: [...parts, 'worker'], packages: ['zod/mini'] },
  ui: {
    rooms: [...pure, 'data', 'store', 'export', 'simulate', 'lab', 'worker', 'host'],
    packages: ['preact', '@preact/signals', 'uplot', 'uqr'],
  },
  tab: { rooms: [...pure, 'net', 'store', 'export', 'worker', 'host', 'ui', 'worker-scripts'], packages: ['preact'] },
  node: {
    rooms: [...inNode, 'scripts', 'worker-scripts'],
    packages: ['node:', 'zod/mini', 'node-datachannel', 'ws', 'vite'],
  },
  relay: { rooms: [...pure, 'net', 'node'], packages: ['node:', 'zod/mini', 'selfsigned', 'ws', 'sirv'] },
  headless: { rooms: [...inNode, 'lab', 'node', 'relay'], packages: ['node:', 'zod/mini', 'playwright-core'] },
  cli: { rooms: [...inNode, 'simulate', 'lab', 'node', 'relay', 'headless'], packages: ['node:', 'zod/mini', 'uqr'] },
  'worker-scripts': {
    rooms: [...pure, 'ml', 'data', 'store', 'simulate', 'worker', 'host', 'node'],
    packages: ['@tensorflow', 'zod/mini', 'node:'],
  },
};

const isForTests = (file: string) => /\.(test|browser)\.tsx?$|-for-tests\.ts$/.test(file);
const roomOf = (path: string) => path.replace(/^src\//, '').split('/')[0] ?? '';
const imports = /^(?:(?:import|export|\})[^'\n]* from |import )'([^'\n]+)';|\bimport\('([^'\n]+)'\)/gm;

/** What of a file's imports the layers do not allow, each as a sentence. Tests may import anything. */
export function forbiddenImports(file: string, text: string): string[] {
  const room = rooms[roomOf(file)];
  if (isForTests(file)) return [];
  if (room === undefined) return [`${file} is in no room that scripts/layers.ts knows`];
  return Array.from(text.matchAll(imports), ([, plain, dynamic]) => plain ?? dynamic ?? '').flatMap((from) => {
    if (!from.startsWith('.')) {
      const isKnown = room.packages?.some(
        (name) => from === name || from.startsWith(name.replace(/:?$/, (end) => end || '/')),
      );
      return isKnown ? [] : [`${file} may not import the package ${from}`];
    }
    const target = join(dirname(file), from.replace(/\?.*$/, '')).replaceAll('\\', '/');
    const other = roomOf(target);
    const isAllowed = other === roomOf(file) || room.rooms.includes(other) || target === 'package.json';
    return isAllowed ? [] : [`${file} may not import ${target}`];
  });
}

/** Every import in the tree that the layers do not allow. */
export function forbiddenInTree(root: string): string[] {
  return ['src', 'worker-scripts'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .flatMap((entry) => {
        const path = join(entry.parentPath, entry.name);
        return forbiddenImports(relative(root, path).replaceAll('\\', '/'), readFileSync(path, 'utf8'));
      }),
  );
}

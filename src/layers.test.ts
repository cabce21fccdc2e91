import { expect, test } from 'vitest';
import { forbiddenImports, forbiddenInTree, rooms } from '../scripts/layers.ts';

/** What each file imports, and whether the layers let it. */
const cases: Record<string, { allowed: readonly string[]; forbidden: readonly string[] }> = {
  'src/experiment/a.ts': { allowed: ['./b.ts', 'zod/mini'], forbidden: ['../core/server/run.ts'] },
  'src/core/a.ts': {
    allowed: ['./wire/frame.ts', './worker/a.ts', 'zod/mini', '../experiment/a.ts'],
    forbidden: ['../net/link/link.ts', '../worker/a.ts', 'node:fs', 'zod', '../simulate/a.ts'],
  },
  'src/core/server/a.ts': { allowed: ['../worker/a.ts'], forbidden: ['../../worker/a.ts', '../../models/model.ts'] },
  'src/core/a.test.ts': { allowed: ['node:fs', '../models/model.ts'], forbidden: [] },
  'src/models/a.ts': { allowed: ['../core/math/schema.ts'], forbidden: ['../data/a.ts'] },
  'src/net/link/a.ts': { allowed: ['../../core/wire/frame.ts'], forbidden: ['peerjs', '../../ml/a.ts'] },
  'src/net/join/a.ts': { allowed: ['../link/a.ts'], forbidden: ['@tensorflow/tfjs-core', '../../host/a.ts'] },
  'src/ml/a.ts': { allowed: ['@tensorflow/tfjs-core'], forbidden: ['../net/link/link.ts', '../store/a.ts'] },
  'src/data/a.ts': { allowed: ['../store/a.ts', '../models/data.ts'], forbidden: ['node:fs', '../ml/a.ts'] },
  'src/export/a.ts': { allowed: ['../observe/a.ts', 'fflate'], forbidden: ['../host/state.ts', '../lab/sweep.ts'] },
  'src/lab/a.ts': { allowed: ['../export/a.ts'], forbidden: ['../host/state.ts', '../ui/lab/a.ts', 'node:fs'] },
  'src/host/a.ts': { allowed: ['../worker/a.ts', '../ml/a.ts'], forbidden: ['../ui/a.tsx', '@tensorflow/tfjs-core'] },
  'src/worker/a.ts': { allowed: ['../net/link/link.ts'], forbidden: ['../host/a.ts', 'peerjs'] },
  'src/ui/host/a.tsx': {
    allowed: ['preact/hooks', '../lab/a.ts', '../../lab/sweep.ts', './a.css'],
    forbidden: ['../../net/link/link.ts', '../../ml/a.ts', 'idb', '../../tab/main.ts'],
  },
  'src/relay/a.ts': { allowed: ['node:fs/promises', 'ws'], forbidden: ['../ui/a.tsx', '../cli/a.ts', 'preact'] },
  'src/tab/main.ts': { allowed: ['../ui/a.tsx', '../../package.json'], forbidden: ['../ml/a.ts', 'node:fs'] },
  'worker-scripts/a.ts': { allowed: ['../src/ml/a.ts'], forbidden: ['../src/net/a.ts', '../src/ui/a.tsx'] },
  'src/elsewhere/a.ts': { allowed: [], forbidden: [''] },
};

test.each(Object.entries(cases))(
  'the layers let %s import what is below it and nothing else',
  (file, { allowed, forbidden }) => {
    const text = [...allowed, ...forbidden].map((from) => `import '${from}';\n`).join('');
    expect(forbiddenImports(file, text)).toHaveLength(forbidden.length);
  },
);

test('a room imports only rooms that are named above it', () => {
  const names = Object.keys(rooms);
  const late = Object.entries(rooms).flatMap(([name, room]) =>
    room.rooms.filter((other) => names.indexOf(other) > names.indexOf(name)).map((other) => `${name} → ${other}`),
  );
  expect(late).toEqual(['tab → worker-scripts', 'node → worker-scripts']);
});

test('no import in the tree is against the layers', () => {
  expect(forbiddenInTree('.')).toEqual([]);
});

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

/** What each file imports, and whether the layers let it. */
const cases: Record<string, { allowed: readonly string[]; forbidden: readonly string[] }> = {
  'src/core/a.ts': {
    allowed: ['./schema.ts', 'zod/mini'],
    forbidden: ['../net/link.ts', 'node:fs', 'zod', '../simulate/a.ts'],
  },
  'src/core/codec/a.ts': { allowed: ['../params.ts'], forbidden: ['../../models/model.ts'] },
  'src/core/a.test.ts': { allowed: ['node:fs', '../models/model.ts'], forbidden: [] },
  'src/models/a.ts': { allowed: ['../core/schema.ts'], forbidden: ['../data/a.ts'] },
  'src/net/memory.ts': { allowed: ['../core/frame.ts'], forbidden: ['peerjs', '../ml/a.ts', '../data/a.ts'] },
  'src/net/peer.ts': { allowed: ['peerjs', './link.ts'], forbidden: ['@tensorflow/tfjs-core', '../host/a.ts'] },
  'src/ml/a.ts': { allowed: ['@tensorflow/tfjs-core'], forbidden: ['../net/link.ts', '../store/a.ts'] },
  'src/data/a.ts': { allowed: ['../store/a.ts', '../models/data.ts'], forbidden: ['node:fs', '../ml/a.ts'] },
  'src/store/a.ts': { allowed: ['idb'], forbidden: ['../data/a.ts'] },
  'src/export/a.ts': {
    allowed: ['../core/progress.ts', 'fflate'],
    forbidden: ['../host/state.ts', '../net/link.ts', '../lab/sweep.ts'],
  },
  'src/lab/a.ts': {
    allowed: ['../core/config.ts', '../models/plan.ts', '../export/run-report.ts', './report/html.ts', 'zod/mini'],
    forbidden: ['../host/state.ts', '../net/link.ts', '../relay/a.ts', '../ui/a.tsx', 'node:fs'],
  },
  'src/simulate/a.ts': { allowed: ['../core/server.ts', '../models/model.ts'], forbidden: ['../host/a.ts', 'node:fs'] },
  'src/host/a.ts': {
    allowed: ['../net/link.ts', '../ml/a.ts'],
    forbidden: ['../ui/a.tsx', '../lab/sweep.ts', '@tensorflow/tfjs-core'],
  },
  'src/worker/a.ts': { allowed: ['../net/link.ts'], forbidden: ['../ui/a.tsx', 'peerjs'] },
  'src/ui/a.tsx': {
    allowed: ['preact/hooks', '../simulate/a.ts', '../lab/sweep.ts'],
    forbidden: ['../net/link.ts', '../ml/a.ts', 'idb'],
  },
  'src/relay/a.ts': {
    allowed: ['node:fs/promises', '../host/state.ts', '../lab/sweep.ts'],
    forbidden: ['../ui/a.tsx', '../main.ts', 'preact'],
  },
  'src/main.ts': { allowed: ['./ui/a.tsx', './net/peer.ts'], forbidden: ['./ml/a.ts', './relay/a.ts', 'node:fs'] },
  'worker-scripts/a.ts': {
    allowed: ['../src/ml/a.ts', '../src/simulate/a.ts'],
    forbidden: ['../src/net/link.ts', '../src/ui/a.tsx'],
  },
};

/** Lints a copy of the cases with the project's own settings; gives what was refused, as `file:line`. */
function refused(): string[] {
  const root = mkdtempSync(join(tmpdir(), 'layers-'));
  try {
    copyFileSync('biome.json', join(root, 'biome.json'));
    for (const [file, { allowed, forbidden }] of Object.entries(cases)) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), [...allowed, ...forbidden].map((from) => `import '${from}';\n`).join(''));
    }
    const rule = '--only=style/noRestrictedImports';
    const args = ['lint', rule, '--vcs-enabled=false', '--reporter=github', '--max-diagnostics=none', '.'];
    const { stdout } = spawnSync(resolve('node_modules/.bin/biome'), args, { cwd: root, encoding: 'utf8' });
    const places = stdout.matchAll(/noRestrictedImports,file=(.+?),line=(\d+)/g);
    return Array.from(places, ([, file = '', line]) => `${file.replace(`${root}/`, '')}:${line}`);
  } finally {
    rmSync(root, { recursive: true });
  }
}

test('the linter refuses imports against the layers and only those', () => {
  const expected = Object.entries(cases).flatMap(([file, { allowed, forbidden }]) =>
    forbidden.map((_, index) => `${file}:${allowed.length + index + 1}`),
  );
  expect(refused().sort()).toEqual(expected.sort());
});

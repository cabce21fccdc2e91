import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../src/node/build.ts';

/** The installed tools that scripts start, as files for this Node. */
const entries = {
  tsc: 'typescript/bin/tsc',
  biome: '@biomejs/biome/bin/biome',
  vitest: 'vitest/vitest.mjs',
  playwright: '@playwright/test/cli.js',
};

export interface Outcome {
  readonly code: number;
  /** What it wrote, when it was not shown at once. */
  readonly output: string;
}

/** Runs an installed tool in the project's folder; shows its output as it comes, or keeps it for the caller. */
export function runTool(
  tool: keyof typeof entries,
  args: readonly string[],
  { isShown = true, env = {} }: { isShown?: boolean; env?: Readonly<Record<string, string>> } = {},
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'node_modules', entries[tool]), ...args], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', isShown ? 'inherit' : 'pipe', isShown ? 'inherit' : 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (signal !== null) console.error(`${tool} was ended by ${signal}`);
      resolve({ code: code ?? 1, output });
    });
  });
}

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../node/build.ts';
import type { Command } from './command-line.ts';

const PROGRAM = 'bench/cli.ts';

/** A program of its own in this project: whatever follows the command's name is the program's. */
export const benchCommand: Command = {
  name: 'bench',
  describe: 'measures; bench --help lists what',
  options: {},
  takesAnything: true,
  run(_given, argv) {
    const script = join(root, PROGRAM);
    if (!existsSync(script)) throw new Error(`this copy of the program has no ${PROGRAM}: use the whole project`);
    const tsx = ['--import', import.meta.resolve('tsx')];
    const child = spawn(process.execPath, [...tsx, script, ...argv], { stdio: 'inherit' });
    // Ctrl+C reaches the child by itself; this process waits for it to end in its own way.
    process.on('SIGINT', () => {});
    process.on('SIGTERM', () => child.kill('SIGTERM'));
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve(code ?? 1));
    });
  },
};

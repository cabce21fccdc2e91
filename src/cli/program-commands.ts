import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../node/build.ts';
import type { Command } from './command-line.ts';

/** A command that is a program of its own in this project: whatever follows its name is the program's. */
const programCommand = (name: string, describe: string, file: string): Command => ({
  name,
  describe,
  options: {},
  takesAnything: true,
  run: (_given, argv) => runProgram(file, argv),
});

export const benchCommand = programCommand('bench', 'measures; bench --help lists what', 'bench/cli.ts');

function runProgram(file: string, argv: readonly string[]): Promise<number> {
  if (!existsSync(join(root, file))) throw new Error(`this copy of the program has no ${file}: use the whole project`);
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), join(root, file), ...argv], {
    stdio: 'inherit',
  });
  // Ctrl+C reaches the child by itself; this process waits for it to end in its own way.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

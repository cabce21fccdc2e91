import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

interface Pipe {
  readonly port: number;
  readonly code: string;
  readonly invite: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** A host in Node that joins each two links that come: what goes into one comes out of the other. */
    nodePipe: Pipe;
  }
}

/**
 * Gives browser tests links of which the other end is in Node, as `inject('nodePipe')`. Vitest calls it. In a process of
 * its own: the native library may take the process that ends with it down.
 */
export async function setup(project: { provide(key: 'nodePipe', value: Pipe): void }) {
  const file = fileURLToPath(new URL('./pipe-process-for-tests.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  project.provide('nodePipe', JSON.parse(line) as Pipe);
  return () => {
    child.kill('SIGKILL');
  };
}

import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Spawn } from '../host/thread.ts';

/** Where the threads of an app built for Node are: hidden, as pages have no use for them. */
export const threadFolder = (app: string): string => join(app, '.threads');

/** What a thread runs: `path` of the project, bundled beside the app if it was built so, else the TypeScript itself. */
export function threadScript(app: string, path: string): URL {
  const bundled = join(threadFolder(app), basename(path, '.ts').concat('.js'));
  return existsSync(bundled) ? pathToFileURL(bundled) : new URL(`../../${path}`, import.meta.url);
}

/**
 * A thread does not inherit what makes this process understand TypeScript: it takes it up before it loads its file,
 * which is one more thread and a compiler's process for each: 30 MB.
 */
const bootstrap = (entry: URL) => {
  const loader = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  return `import(${loader}).then(({ register }) => { register(); return import(${JSON.stringify(entry.href)}); })`;
};

/** V8 lets the short-lived objects of each thread have 48 MB before it looks what is left of them. */
const YOUNG_MB = 12;

/** Threads of this process that run a file of the project. `data` is the thread's `workerData`. */
export const nodeThread =
  <To, From>(entry: URL, data: unknown = null): Spawn<To, From> =>
  ({ onMessage, onError }) => {
    const options = { execArgv: [], workerData: data, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } };
    const worker = entry.pathname.endsWith('.ts')
      ? new Worker(bootstrap(entry), { ...options, eval: true })
      : new Worker(entry, options);
    let isStopped = false;
    worker.on('message', onMessage);
    worker.on('error', ({ message }) => onError(message));
    worker.on('exit', (code) => {
      if (!isStopped && code === 0) onError('it ended by itself');
    });
    return {
      // Node's types know its own ports only; a MessagePort is the same object under both.
      post: (message, transfer = []) => worker.postMessage(message, transfer as unknown as never[]),
      stop() {
        isStopped = true;
        void worker.terminate();
      },
    };
  };

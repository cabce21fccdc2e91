import { Worker } from 'node:worker_threads';
import type { Spawn } from '../host/host.ts';

/** A thread does not inherit what makes this process understand TypeScript: it takes it up before it loads its file. */
const bootstrap = (entry: URL) => {
  const loader = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  return `import(${loader}).then(({ register }) => { register(); return import(${JSON.stringify(entry.href)}); })`;
};

/** Threads of this process that run a TypeScript file of the project. `data` is the thread's `workerData`. */
export const nodeThread =
  <To, From>(entry: URL, data: unknown = null): Spawn<To, From> =>
  ({ onMessage, onError }) => {
    const worker = new Worker(bootstrap(entry), { eval: true, execArgv: [], workerData: data });
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

import { type HostDeps, startHost } from '../host/host.ts';
import type { Host } from '../host/state.ts';
import type { Spawn } from '../host/thread.ts';

export interface TabHostDeps extends Omit<HostDeps, 'spawnServer' | 'spawnTrainer' | 'remedy'> {
  spawnServer(): Worker;
  spawnTrainer(): Worker;
}

/** A host in a tab, with Web Workers as its threads. */
export const tabHost = (deps: TabHostDeps): Host =>
  startHost({
    ...deps,
    remedy: 'Reload the page to go on.',
    spawnServer: webThread(deps.spawnServer),
    spawnTrainer: webThread(deps.spawnTrainer),
  });

const webThread =
  <To, From>(spawn: () => Worker): Spawn<To, From> =>
  ({ onMessage, onError }) => {
    const worker = spawn();
    worker.onmessage = ({ data }: MessageEvent<From>) => onMessage(data);
    worker.onerror = ({ message }) => onError(message);
    return {
      post: (message, transfer = []) => worker.postMessage(message, transfer),
      stop: () => worker.terminate(),
    };
  };

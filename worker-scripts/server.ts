import { rng } from '../src/core/math/rng.ts';
import { ExampleServer } from '../src/host/example-server.ts';
import { ServerLoop } from '../src/host/server-loop.ts';
import type { Resumable } from '../src/host/state.ts';
import type { ToServer } from '../src/host/thread.ts';
import { dropCheckpoint, latestCheckpoint, saveCheckpoint } from '../src/store/checkpoints.ts';

/*
 * The parameter server of a host tab, off its main thread. Checkpoints go to IndexedDB, unless the thread is named
 * `unsaved`: a lab does broken-off runs again from their beginning, and leaves alone what other pages have saved.
 */

declare const self: DedicatedWorkerGlobalScope;

const checkpoints = {
  save: saveCheckpoint,
  drop: dropCheckpoint,
  async latest() {
    const found = await latestCheckpoint();
    if (!found) return null;
    const meta = found.meta as Omit<Resumable, 'savedAtMs'>;
    return { bytes: found.bytes, resumable: { ...meta, savedAtMs: found.savedAtMs } };
  },
};

const server = new ServerLoop({
  random: rng(...crypto.getRandomValues(new Uint32Array(4))),
  now: () => performance.now(),
  wallOffsetMs: performance.timeOrigin,
  post: (message) =>
    self.postMessage(message, message.type === 'parameters' && message.params ? [message.params.buffer] : []),
  examples: new ExampleServer(null),
  store: self.name === 'unsaved' ? null : checkpoints,
});

self.onmessage = ({ data }: MessageEvent<ToServer>) => server.hear(data);

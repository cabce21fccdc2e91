import { rng } from '../src/core/math/rng.ts';
import { ExampleServer } from '../src/host/example-server.ts';
import { serverLoop } from '../src/host/server-loop.ts';
import type { ToServer } from '../src/host/thread.ts';

/*
 * The parameter server of a Lab page. A run that was broken off is done again from its beginning, so nothing is saved, and
 * what other pages of this browser have saved is neither offered nor dropped here.
 */

declare const self: DedicatedWorkerGlobalScope;

const loop = serverLoop({
  random: rng(...crypto.getRandomValues(new Uint32Array(4))),
  now: () => performance.now(),
  wallOffsetMs: performance.timeOrigin,
  post: (message) => self.postMessage(message),
  examples: new ExampleServer(null),
  store: { save: async () => {}, drop: async () => {}, latest: async () => null },
});

self.onmessage = ({ data }: MessageEvent<ToServer>) => loop(data);

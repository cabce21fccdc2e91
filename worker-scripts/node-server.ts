import { randomBytes } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { rng } from '../src/core/math/rng.ts';
import { ExampleServer } from '../src/host/example-server.ts';
import { ServerLoop } from '../src/host/server-loop.ts';
import type { FromServer, ToServer } from '../src/host/thread.ts';
import { type DiskStoreListener, diskStore } from '../src/node/files/disk-store.ts';
import { diskFiles } from '../src/node/files/file-path.ts';

/* The parameter server of a relay, off the thread that moves bytes. Checkpoints go to the disk. */

/** What this thread tells beside what every server tells. */
export type FromNodeServer =
  | FromServer
  | { readonly type: 'saved'; readonly saved: Parameters<DiskStoreListener['onSaved']>[0] }
  | { readonly type: 'skipped'; readonly text: string };

const { checkpoints } = workerData as { readonly checkpoints: string };
/** A copy of all parameters goes over as it is: cloning it would make a second. */
const post = (message: FromNodeServer) => {
  const isCopy = message.type === 'parameters' && message.params?.buffer instanceof ArrayBuffer;
  parentPort?.postMessage(message, isCopy ? [message.params.buffer as ArrayBuffer] : []);
};

const server = new ServerLoop({
  random: rng(...new Uint32Array(new Uint8Array(randomBytes(16)).buffer)),
  now: () => performance.now(),
  wallOffsetMs: performance.timeOrigin,
  post,
  examples: new ExampleServer(diskFiles),
  store: diskStore(checkpoints, {
    onSaved: (saved) => post({ type: 'saved', saved }),
    onSkipped: (text) => post({ type: 'skipped', text }),
  }),
});

parentPort?.on('message', (message: ToServer) => server.hear(message));

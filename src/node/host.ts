import { hostname } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FromNodeServer } from '../../worker-scripts/node-server.ts';
import { startHost } from '../host/host.ts';
import type { Host } from '../host/state.ts';
import type { FromServer, Spawn, ToServer } from '../host/thread.ts';
import type { BackendChoice } from '../models/backend.ts';
import { linkInvite } from '../net/join/invite.ts';
import { Listener } from '../net/join/listen.ts';
import { Journal, type JournalEvent, JournalFeed } from './files/run-journal.ts';
import { type NodeNet, nodeRuntime } from './link/runtime.ts';
import { processGauges } from './proc/gauges.ts';
import { keepRoom, keptRoom } from './room.ts';
import { nodeThread, threadScript } from './thread.ts';

/** How long a last checkpoint and the workers' farewell may take. */
const SHUT_DOWN_MS = 4000;
/** A farewell needs a moment to go out before its channel closes. */
const FAREWELL_MS = 200;

export interface NodeHostOptions {
  /** Where the room, checkpoints and logs are kept. */
  readonly folder: string;
  /** The built app: where the data sets are, and threads ready to run. */
  readonly app: string;
  readonly net: NodeNet;
  readonly backend: BackendChoice;
  /** Whether a worker may come in by the code alone. */
  readonly allowsTyping: boolean;
  /** Something a person should know, e.g. a checkpoint that could not be used. */
  note(text: string): void;
}

/** A host in this process: its server and its trainers are threads, its links data channels, its memory the disk. */
export interface NodeHost {
  readonly host: Host;
  readonly code: string;
  /** What a join link carries; good for a day, and for as long as this folder is kept. */
  invite(): string;
  /** Brings what was computed to the disk, tells the workers, and ends within five seconds. */
  shutDown(): Promise<void>;
}

/** Starts a host with the room of its folder. */
export async function startNodeHost(options: NodeHostOptions): Promise<NodeHost> {
  const { folder, app, net, backend, allowsTyping, note } = options;
  const room = await keptRoom(folder);
  const banned = new Set(room.banned);
  let savedVersion = -1;
  let onSaved = () => {};
  let journal: { readonly id: string; readonly file: Journal } | null = null;
  const feed = new JournalFeed();
  const record = (events: readonly JournalEvent[]) => {
    for (const event of events) journal?.file.write(event);
  };

  /** Hears what only this kind of server tells, and passes the rest on. */
  const spawnServer: Spawn<ToServer, FromServer> = ({ onMessage, onError }) => {
    const entry = threadScript(app, 'worker-scripts/node-server.ts');
    const spawn = nodeThread<ToServer, FromNodeServer>(entry, { checkpoints: join(folder, 'checkpoints') });
    return spawn({
      onError,
      onMessage(message) {
        if (message.type === 'skipped') return note(message.text);
        if (message.type !== 'saved') return onMessage(message);
        const { id, version, sizeBytes } = message.saved;
        savedVersion = version;
        if (journal?.id === id) record([{ event: 'checkpoint', version, sizeBytes }]);
        onSaved();
      },
    });
  };

  const host = startHost({
    code: room.code,
    baseUrl: pathToFileURL(join(app, '/')).href,
    backend,
    device: `${hostname()}, Node`.slice(0, 48),
    gauges: { source: 'process', open: processGauges },
    remedy: 'Start the program again with --resume.',
    spawnServer,
    spawnTrainer: nodeThread(threadScript(app, 'worker-scripts/node-trainer.ts'), {
      script: threadScript(app, 'worker-scripts/trainer.ts').href,
    }),
    listen: (handlers) =>
      new Listener(
        nodeRuntime(net),
        { relayUrl: net.url, iceServers: [] },
        {
          ...room,
          allowsTyping,
          hostKey: net.hostKey ?? null,
          freesCode: false,
          isBanned: (device) => banned.has(device),
          ...handlers,
        },
      ),
    onRemoved({ device }) {
      banned.add(device);
      keepRoom(folder, { ...room, banned: [...banned] }).catch((error: Error) =>
        note(`The removal is not kept: ${error.message}`),
      );
    },
    // The log on the disk is what is kept of a run.
    keepRun: async () => {},
  });

  let savedId: string | null = null;
  const unsubscribe = host.subscribe(() => {
    const { run, resumable } = host.state;
    savedId = resumable?.id ?? savedId;
    if (run === null) return;
    if (journal?.id !== run.id) {
      journal?.file.close();
      journal = { id: run.id, file: new Journal(join(folder, 'runs', `${run.id}.jsonl`)) };
    }
    record(feed.news(host.state, host.log, run.id === savedId));
  });

  /** Resolves when the newest parameters are on the disk, or it takes too long. */
  const lastCheckpoint = () =>
    new Promise<void>((resolve) => {
      const isSafe = () => savedVersion >= (host.state.run?.version ?? 0);
      const timer = setTimeout(resolve, SHUT_DOWN_MS - FAREWELL_MS);
      const look = () => {
        if (!isSafe()) return;
        clearTimeout(timer);
        resolve();
      };
      onSaved = look;
      // A pause saves and is told to the workers.
      host.pause();
      host.subscribe(look);
    });

  return {
    host,
    code: room.code,
    invite: () => linkInvite(room.secret, room.code, Date.now()),
    async shutDown() {
      const { run } = host.state;
      const isUnderWay = run !== null && run.phase !== 'finished' && run.phase !== 'failed';
      if (isUnderWay) {
        await lastCheckpoint();
        record([{ event: 'stopping', version: host.state.run?.version ?? 0 }]);
      }
      await new Promise((resolve) => setTimeout(resolve, FAREWELL_MS));
      unsubscribe();
      if (journal !== null) record(feed.news(host.state, host.log, true, true));
      host.close();
      journal?.file.close();
    },
  };
}

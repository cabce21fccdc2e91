import { decodeCheckpoint, encodeCheckpoint } from '../core/checkpoint.ts';
import type { Experiment } from '../core/config.ts';
import { readToHost, type ToHost } from '../core/protocol.ts';
import type { Rng } from '../core/rng.ts';
import { type Effect, ParameterServer, type SavedServer, type ServerEvent } from '../core/server.ts';
import { resolveExperiment } from '../models/plan.ts';
import { Messenger } from '../net/messenger.ts';
import { portLink } from '../net/port.ts';
import { CurveFeed } from './curve-feed.ts';
import type { EvaluationReply, EvaluationRequest } from './evaluate-loop.ts';
import type { LocalNote, Resumable } from './state.ts';
import type { FromServer, ServedWorker, ToServer } from './thread.ts';
import { WorkerTraffic } from './worker-traffic.ts';

const PUBLISH_MS = 250;
/** A goodbye needs a moment to reach the other side: closing a channel may drop what is buffered. */
const GOODBYE_MS = 1000;

/** Where a run at rest is kept. */
export interface CheckpointStore {
  save(id: string, bytes: Uint8Array, meta: Omit<Resumable, 'savedAtMs'>): Promise<void>;
  latest(): Promise<{ bytes: Uint8Array; resumable: Resumable } | null>;
  drop(id: string): Promise<void>;
}

export interface ServerLoopDeps {
  readonly store: CheckpointStore;
  readonly random: Rng;
  now(): number;
  /** now() + this is the time of day. */
  readonly wallOffsetMs: number;
  post(message: FromServer): void;
}

/**
 * Runs the parameter server in a thread of its own: turns frames into events and effects into frames, evaluations,
 * checkpoints and news for the host.
 */
export function serverLoop({ store, random, now, wallOffsetMs, post }: ServerLoopDeps): (message: ToServer) => void {
  const server = new ParameterServer(random, wallOffsetMs);
  const links = new Map<number, Messenger>();
  const traffic = new WorkerTraffic();
  const feed = new CurveFeed();
  let evaluator: MessagePort | null = null;
  let saved: { bytes: Uint8Array; resumable: Resumable } | null = null;
  let isSaving = false;
  let note: LocalNote = null;
  let busyMs = 0;

  const handle = (event: ServerEvent) => {
    const startMs = now();
    const effects = server.handle(event, startMs);
    for (const effect of effects) carryOut(effect);
    busyMs += now() - startMs;
  };

  const carryOut = (effect: Effect) => {
    switch (effect.type) {
      case 'send': {
        const run = server.run?.run ?? 0;
        const body = effect.withParams ? server.run?.outgoing() : undefined;
        links.get(effect.link)?.send(body ? 'parameters' : 'control', run, effect.message, body);
        if (effect.message.type === 'welcome') traffic.attach(effect.message.worker, effect.link);
        if (effect.message.type === 'run') expectPushes(effect.link);
        return;
      }
      case 'close': {
        const messenger = links.get(effect.link);
        setTimeout(() => messenger?.close(), GOODBYE_MS);
        return;
      }
      case 'evaluate':
        return evaluate(effect.run, effect.version);
      case 'checkpoint':
        return void checkpoint();
      case 'wake':
        setTimeout(() => handle({ type: 'tick' }), Math.max(0, effect.atMs - now()));
        return;
      default:
        effect satisfies never;
    }
  };

  const expectPushes = (link: number) => {
    if (server.run) links.get(link)?.expectBodyBytes(server.run.incomingBytes);
  };

  const evaluate = (run: number, version: number) => {
    if (!server.run || !evaluator) return;
    const params = server.run.params.slice();
    const request: EvaluationRequest = { run, version, experiment: server.run.plan.experiment, params };
    evaluator.postMessage(request, [params.buffer]);
  };

  const checkpoint = async () => {
    const snapshot = server.snapshot(now());
    // While one is being written, the next is skipped: the one after will be newer.
    if (!snapshot || isSaving) return;
    isSaving = true;
    const { id, experiment, version } = snapshot.head;
    const isDone = server.run?.phase === 'finished';
    try {
      if (isDone) await store.drop(id);
      else await store.save(id, encodeCheckpoint(snapshot), { id, experiment, version });
    } catch (error) {
      note = { kind: 'busy', text: `The run could not be saved (${words(error)}). Training goes on.` };
    } finally {
      isSaving = false;
    }
  };

  const open = (link: number, isLocal: boolean, port: MessagePort) => {
    const messenger = new Messenger(portLink(port), {
      onMessage({ head, body }) {
        let message: ToHost;
        try {
          message = readToHost(head);
        } catch {
          return handle({ type: 'garbled', link });
        }
        handle({ type: 'message', link, isLocal, message, body });
      },
      onGarbled: () => handle({ type: 'garbled', link }),
      onClose: () => {
        traffic.detach(link, messenger.traffic);
        links.delete(link);
        handle({ type: 'closed', link });
      },
    });
    links.set(link, messenger);
  };

  const start = (id: string, experiment: Experiment, from?: SavedServer) => {
    const { schema, data } = resolveExperiment(experiment);
    const plan = { id, experiment, schema, trainCount: data.trainCount };
    note = null;
    busyMs = 0;
    if (saved) void store.drop(saved.resumable.id).catch(() => {});
    saved = null;
    traffic.restart(links);
    handle(from ? { type: 'start', plan, saved: from } : { type: 'start', plan });
  };

  const resumeSaved = () => {
    if (!saved) return;
    const { bytes, resumable } = saved;
    saved = null;
    const { schema } = resolveExperiment(resumable.experiment);
    start(resumable.id, resumable.experiment, decodeCheckpoint(bytes, schema.size));
  };

  const discardSaved = () => {
    if (saved) void store.drop(saved.resumable.id).catch(() => {});
    saved = null;
  };

  const listenToEvaluator = (port: MessagePort) => {
    evaluator = port;
    port.onmessage = ({ data }: MessageEvent<EvaluationReply>) => {
      if (data.type === 'evaluated') return handle(data);
      if (data.type === 'failed') {
        note = { kind: 'broken', text: `The test set could not be evaluated: ${data.text}` };
        return handle({ type: 'evaluator-failed' });
      }
      note = data.text === null ? null : { kind: 'busy', text: data.text };
    };
  };

  const publish = () => {
    const nowMs = now();
    const run = server.runState(nowMs);
    const workers: ServedWorker[] = server.workerStates(nowMs).map((state) => {
      const link = server.members.get(state.worker)?.link ?? null;
      return {
        ...state,
        link,
        traffic: traffic.of(state.worker, link === null ? undefined : links.get(link)?.traffic),
      };
    });
    const withBusy = run && { ...run, counters: { ...run.counters, busyMs } };
    post({ type: 'state', run: withBusy, workers, resumable: saved?.resumable ?? null, note });
    const news = server.run && feed.news(server.run);
    if (news) post(news);
  };

  setInterval(() => {
    handle({ type: 'tick' });
    publish();
  }, PUBLISH_MS);

  store.latest().then(
    (found) => {
      // A run already started by hand wins.
      if (server.run || !found) return publish();
      saved = found;
      const { schema } = resolveExperiment(found.resumable.experiment);
      server.recall(decodeCheckpoint(found.bytes, schema.size).members);
      publish();
    },
    (error) => {
      note = { kind: 'broken', text: `Saved runs could not be read (${words(error)}).` };
    },
  );

  return (message) => {
    switch (message.type) {
      case 'evaluator':
        return listenToEvaluator(message.port);
      case 'link':
        return open(message.link, message.isLocal, message.port);
      case 'unlink':
        links.get(message.link)?.close();
        return;
      case 'start':
        start(message.id, message.experiment);
        return publish();
      case 'resume-saved':
        try {
          resumeSaved();
        } catch (error) {
          note = { kind: 'broken', text: words(error) };
        }
        return publish();
      case 'discard-saved':
        discardSaved();
        return publish();
      case 'remove':
        handle({ type: 'remove', worker: message.worker });
        return publish();
      case 'pause':
      case 'resume':
      case 'finish':
      case 'reset':
        if (message.type === 'reset' && server.run) void store.drop(server.run.plan.id).catch(() => {});
        handle({ type: message.type });
        return publish();
      default:
        message satisfies never;
    }
  };
}

const words = (error: unknown) => (error instanceof Error ? error.message : String(error));

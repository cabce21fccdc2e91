import { decodeCheckpoint, encodeCheckpoint } from '../core/checkpoint.ts';
import { defaultExperiment, type Experiment } from '../core/config.ts';
import { hostConditions, parseEmulation } from '../core/emulation.ts';
import { readToHost, type ToHost } from '../core/protocol.ts';
import type { ResourceSample } from '../core/resources.ts';
import type { Rng } from '../core/rng.ts';
import { type Effect, ParameterServer, type SavedServer, type ServerEvent } from '../core/server.ts';
import { gather } from '../core/sparse/logistic.ts';
import type { FileIdentity } from '../data/sparse/file-identity.ts';
import { resolveExperiment } from '../models/plan.ts';
import { Messenger } from '../net/messenger.ts';
import { portLink } from '../net/port.ts';
import { CurveFeed } from './curve-feed.ts';
import { type EvaluationReply, type EvaluationRequest, testSetOf } from './evaluate-loop.ts';
import type { ExampleServer } from './example-server.ts';
import { GiftCount, SamplePace } from './moderation.ts';
import type { LocalNote, Resumable } from './state.ts';
import { StepRecorder } from './step-recorder.ts';
import type { FromServer, ServedWorker, ToServer } from './thread.ts';
import { WorkerTraffic } from './worker-traffic.ts';

const PUBLISH_MS = 250;
/** A goodbye needs a moment to reach the other side: closing a channel may drop what is buffered. */
const GOODBYE_MS = 1000;

/** Making a checkpoint keeps the server from its work: it may take one part in fifty of the time. */
const CHECKPOINT_REST = 50;

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
  /** Examples that only this host has. */
  readonly examples: ExampleServer;
}

/**
 * Runs the parameter server in a thread of its own: turns frames into events and effects into frames, evaluations,
 * checkpoints and news for the host.
 */
export function serverLoop({
  store,
  random,
  now,
  wallOffsetMs,
  post,
  examples,
}: ServerLoopDeps): (message: ToServer) => void {
  const server = new ParameterServer(random, wallOffsetMs);
  const links = new Map<number, Messenger>();
  const traffic = new WorkerTraffic();
  const feed = new CurveFeed();
  let evaluator: MessagePort | null = null;
  let saved: { bytes: Uint8Array; resumable: Resumable } | null = null;
  let isSaving = false;
  let isSaveDue = false;
  let nextSaveMs = 0;
  /** Which parameters a test set touches, where they have keys. */
  let testKeys: { readonly testSet: string; readonly keys: Uint32Array } | null = null;
  /** Starts when the evaluator has said that: otherwise what it is to look at could be gone by then. */
  let starting: { readonly testSet: string; begin(): void } | null = null;
  let note: LocalNote = null;
  let busyMs = 0;
  /** Made up: how long a push takes at least. */
  let slowApplyMs = 0;
  const recorder = new StepRecorder();
  const samples = new SamplePace();
  const gifts = new GiftCount();
  /** Counts what was asked for, so that the last word stands. */
  let wishes = 0;
  /** Whether it remembers when each push came and was answered. */
  let observes = true;
  /** When the evaluator was asked. */
  let lookedMs = 0;

  const handle = (event: ServerEvent) => {
    const startMs = now();
    const effects = server.handle(event, startMs);
    if (event.type === 'message' && event.message.type === 'push') {
      while (now() - startMs < slowApplyMs);
      const worker = workerOn(event.link);
      if (observes && worker !== null)
        recorder.pushed(event.link, worker, event.message, sinceStart(startMs), now() - startMs);
    }
    for (const effect of effects) carryOut(effect);
    busyMs += now() - startMs;
  };

  const workerOn = (link: number) => traffic.workerOn(link);
  /** Wall time since the run began. */
  const sinceStart = (atMs: number) => wallOffsetMs + atMs - (server.run?.startedAtMs ?? 0);

  const carryOut = (effect: Effect) => {
    switch (effect.type) {
      case 'send': {
        const run = server.run?.run ?? 0;
        const due = 'due' in effect.message ? effect.message.due : 0;
        const startMs = now();
        const body = effect.withParams ? server.run?.outgoing(due) : undefined;
        links.get(effect.link)?.send(body ? 'parameters' : 'control', run, effect.message, body);
        if (effect.message.type === 'answer')
          recorder.answered(effect.link, effect.message, sinceStart(now()), now() - startMs);
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
    const { params: all, keys, plan } = server.run;
    const params = keys && testKeys ? valuesAt(all, testKeys.keys) : all.slice();
    const request: EvaluationRequest = { type: 'evaluate', run, version, experiment: plan.experiment, params };
    evaluator.postMessage(request, [params.buffer]);
    lookedMs = now();
  };

  const checkpoint = async () => {
    // One at a time. While a run goes on the next will come; the last, at a pause or the end, must not be missed.
    if (isSaving) {
      isSaveDue = server.run?.phase !== 'running';
      return;
    }
    const snapshot = server.snapshot(now());
    if (!snapshot || (server.run?.phase === 'running' && now() < nextSaveMs)) return;
    isSaving = true;
    isSaveDue = false;
    const { id, experiment, version } = snapshot.head;
    const isDone = server.run?.phase === 'finished';
    const startMs = now();
    try {
      if (isDone) await store.drop(id);
      else {
        const saving = store.save(id, encodeCheckpoint(snapshot, server.run?.touched ?? null), {
          id,
          experiment,
          version,
          file: experiment.data === 'file' ? examples.identity : null,
        });
        nextSaveMs = now() + CHECKPOINT_REST * (now() - startMs);
        recorder.spent({ kind: 'checkpoint', startMs: sinceStart(startMs), durationMs: now() - startMs });
        await saving;
      }
    } catch (error) {
      note = { kind: 'busy', text: `The run could not be saved (${words(error)}). Training goes on.` };
    } finally {
      isSaving = false;
      if (isSaveDue) void checkpoint();
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
        if (message.type === 'sample') hearSample(link, message.sample);
        if (message.type === 'want') void giveExamples(link, message);
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

  const hearSample = (link: number, sample: ResourceSample) => {
    const worker = workerOn(link);
    if (worker === null || !server.run || !samples.admit(worker, now())) return;
    post({ type: 'sample', worker, atMs: sinceStart(now()), sample });
  };

  const giveExamples = async (link: number, { run, lease: id }: Extract<ToHost, { type: 'want' }>) => {
    const worker = workerOn(link);
    const lease = server.run?.run === run && worker !== null ? server.run.leases.find(id, worker) : null;
    if (!lease || !gifts.admit(id)) return;
    const answer = { type: 'examples', run, lease: id } as const;
    try {
      const body = await examples.of(lease.from, lease.count);
      // Lease numbers repeat from run to run.
      if (server.run?.run !== run) return;
      links.get(link)?.send('data', run, { ...answer, problem: null }, body);
    } catch (error) {
      links.get(link)?.send('control', run, { ...answer, problem: words(error).slice(0, 300) });
    }
  };

  const start = (id: string, experiment: Experiment, most?: number, from?: SavedServer) => {
    const { schema, trainCount } = resolveExperiment(experiment);
    const plan = { id, experiment, schema, trainCount, most };
    recorder.restart();
    gifts.restart();
    slowApplyMs = hostConditions(parseEmulation(experiment.emulate)).applyMs;
    const begin = () => handle(from ? { type: 'start', plan, saved: from } : { type: 'start', plan });
    note = null;
    busyMs = 0;
    if (saved) void store.drop(saved.resumable.id).catch(() => {});
    saved = null;
    traffic.restart(links);
    nextSaveMs = 0;
    starting = null;
    const testSet = testSetOf(experiment);
    if (schema.keysPerExample === null || !evaluator || testKeys?.testSet === testSet) return begin();
    starting = { testSet, begin };
    testKeys = null;
    const request: EvaluationRequest = { type: 'keys', experiment };
    evaluator.postMessage(request);
  };

  const resumeSaved = () => {
    if (!saved) return;
    const { bytes, resumable } = saved;
    whenReady(resumable.experiment, resumable.file, (experiment) => {
      const { schema } = resolveExperiment(experiment);
      const from = decodeCheckpoint(bytes, schema.size);
      saved = null;
      start(resumable.id, experiment, undefined, from);
    });
  };

  /** Goes on once the experiment's data is here, at once if everyone has it; says so if that fails. */
  const whenReady = (asked: Experiment, file: FileIdentity | null, then: (experiment: Experiment) => void) => {
    wishes += 1;
    const wish = wishes;
    note = null;
    const failed = (error: unknown) => {
      if (wish !== wishes) return;
      note = { kind: 'broken', text: words(error) };
      publish();
    };
    const fetched = async () => {
      const experiment = await examples.prepare(asked, file);
      const test = await examples.test();
      if (wish !== wishes) return;
      const request: EvaluationRequest = { type: 'test-set', examples: test };
      evaluator?.postMessage(request, [test.buffer]);
      testKeys = null;
      then(experiment);
      publish();
    };
    if (asked.data === 'file') return void fetched().catch(failed);
    try {
      then(asked);
    } catch (error) {
      failed(error);
    }
  };

  const discardSaved = () => {
    if (saved) void store.drop(saved.resumable.id).catch(() => {});
    saved = null;
  };

  const listenToEvaluator = (port: MessagePort) => {
    evaluator = port;
    port.onmessage = ({ data }: MessageEvent<EvaluationReply>) => {
      if (data.type === 'evaluated') {
        recorder.spent({ kind: 'evaluation', startMs: sinceStart(lookedMs), durationMs: now() - lookedMs });
        return handle(data);
      }
      if (data.type === 'keys') {
        const { testSet, keys } = data;
        if (testSet !== starting?.testSet || !keys) return;
        testKeys = { testSet, keys };
        starting.begin();
        starting = null;
        return publish();
      }
      if (data.type === 'failed') {
        starting = null;
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
    const resumable = saved?.resumable ?? null;
    post({ type: 'state', run: withBusy, workers, resumable, examples: examples.state, note });
    const news = server.run && feed.news(server.run, server.members);
    if (news) post(news);
    const steps = server.run && recorder.news();
    if (server.run && steps) post({ type: 'steps', id: server.run.plan.id, ...steps });
  };

  setInterval(() => {
    handle({ type: 'tick' });
    publish();
  }, PUBLISH_MS);

  store.latest().then(
    (found) => {
      // A run already started by hand wins.
      if (server.run || !found) return publish();
      saved = { bytes: found.bytes, resumable: upToDate(found.resumable) };
      const { schema } = resolveExperiment(saved.resumable.experiment);
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
        observes = message.observes;
        whenReady(message.experiment, null, (experiment) => start(message.id, experiment, message.most));
        return publish();
      case 'examples':
        examples.choose(message.source);
        return publish();
      case 'parameters': {
        const params = server.run?.params.slice() ?? null;
        const version = server.run?.version ?? 0;
        return post({ type: 'parameters', request: message.request, version, params });
      }
      case 'resume-saved':
        resumeSaved();
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
        if (message.type === 'reset') {
          starting = null;
          wishes += 1;
        }
        if (message.type === 'reset' && server.run) void store.drop(server.run.plan.id).catch(() => {});
        handle({ type: message.type });
        return publish();
      default:
        message satisfies never;
    }
  };
}

/** Runs saved before a setting existed were made with what is usual now. */
const upToDate = (resumable: Resumable): Resumable => ({
  ...resumable,
  experiment: { ...defaultExperiment, ...resumable.experiment },
  file: resumable.file ?? null,
});

function valuesAt(params: Float32Array, keys: Uint32Array): Float32Array<ArrayBuffer> {
  const values = new Float32Array(keys.length);
  gather(params, keys, keys.length, values);
  return values;
}

const words = (error: unknown) => (error instanceof Error ? error.message : String(error));

import type { Rng } from '../core/math/rng.ts';
import { type Effect, ParameterServer, type SavedServer, type ServerEvent } from '../core/server/server.ts';
import { readToHost, type ToHost } from '../core/wire/protocol.ts';
import type { ResourceSample } from '../core/wire/resources.ts';
import type { FileIdentity } from '../data/sparse/file-identity.ts';
import { hostConditions, parseEmulation } from '../experiment/emulation.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { resolveExperiment } from '../models/plan.ts';
import { Messenger } from '../net/link/messenger.ts';
import { portLink } from '../net/link/port.ts';
import { CheckpointKeeper, type CheckpointStore } from './checkpoint-keeper.ts';
import { CurveFeed } from './curve-feed.ts';
import { EvaluatorClient } from './evaluator-client.ts';
import type { ExampleServer } from './example-server.ts';
import { GiftCount, SamplePace } from './moderation.ts';
import type { LocalNote } from './state.ts';
import { StepRecorder } from './step-recorder.ts';
import type { FromServer, ServedWorker, ToServer } from './thread.ts';
import { WorkerTraffic } from './worker-traffic.ts';

const PUBLISH_MS = 250;
/** A goodbye needs a moment to reach the other side: closing a channel may drop what is buffered. */
const GOODBYE_MS = 1000;

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

  const keeper = new CheckpointKeeper({
    store,
    server,
    now,
    file: () => examples.identity,
    onMade: (startMs, durationMs) => recorder.spent({ kind: 'checkpoint', startMs: sinceStart(startMs), durationMs }),
    onFailed: (error) => {
      note = { kind: 'busy', text: `The run could not be saved (${words(error)}). Training goes on.` };
    },
  });

  const evaluator = new EvaluatorClient({
    now,
    onEvaluated: (reply, startMs) => {
      recorder.spent({ kind: 'evaluation', startMs: sinceStart(startMs), durationMs: now() - startMs });
      handle(reply);
    },
    onFailed: (text) => {
      note = { kind: 'broken', text: `The test set could not be evaluated: ${text}` };
      handle({ type: 'evaluator-failed' });
    },
    onBusy: (text) => {
      note = text === null ? null : { kind: 'busy', text };
    },
  });

  const handle = (event: ServerEvent) => {
    const startMs = now();
    const effects = server.handle(event, startMs);
    if (event.type === 'message' && event.message.type === 'push') {
      while (now() - startMs < slowApplyMs);
      const worker = workerOn(event.link);
      if (observes && worker !== null)
        recorder.pushed(event.link, worker, event.message, sinceStart(startMs), now() - startMs);
    }
    if (event.type === 'message' && (event.message.type === 'pause' || event.message.type === 'resume'))
      recorder.paused(event.link, event.message.type === 'pause', sinceStart(startMs));
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
        if (effect.message.type === 'work') recorder.gave(effect.link, effect.message.version, sinceStart(now()));
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
        if (server.run) evaluator.evaluate(server.run, effect.version);
        return;
      case 'checkpoint':
        return void keeper.save();
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
    const plan = { id, experiment, schema, trainCount, maxWorkers: most };
    recorder.restart();
    gifts.restart();
    slowApplyMs = hostConditions(parseEmulation(experiment.emulate)).applyMs;
    note = null;
    busyMs = 0;
    keeper.restart();
    traffic.restart(links);
    evaluator.whenReady(experiment, schema.keysPerExample !== null, () => {
      handle(from ? { type: 'start', plan, saved: from } : { type: 'start', plan });
      publish();
    });
  };

  const resumeSaved = () => {
    const { resumable } = keeper;
    if (!resumable) return;
    whenReady(resumable.experiment, resumable.file, (experiment) => {
      const from = keeper.take();
      if (from) start(resumable.id, experiment, undefined, from);
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
      evaluator.giveTestSet(test);
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

  const publish = () => {
    const nowMs = now();
    const run = server.runState(nowMs);
    const workers: ServedWorker[] = server.workerStates(nowMs).map((state) => {
      const link = server.members.get(state.worker)?.session?.link ?? null;
      return {
        ...state,
        link,
        traffic: traffic.of(state.worker, link === null ? undefined : links.get(link)?.traffic),
      };
    });
    const withBusy = run && { ...run, counters: { ...run.counters, busyMs } };
    post({ type: 'state', run: withBusy, workers, resumable: keeper.resumable, examples: examples.state, note });
    const news = server.run && feed.news(server.run, server.members);
    if (news) post(news);
    const steps = server.run && recorder.news();
    if (server.run && steps) post({ type: 'steps', id: server.run.plan.id, ...steps });
  };

  setInterval(() => {
    handle({ type: 'tick' });
    publish();
  }, PUBLISH_MS);

  keeper.find().then(publish, (error) => {
    note = { kind: 'broken', text: `Saved runs could not be read (${words(error)}).` };
  });

  return (message) => {
    switch (message.type) {
      case 'evaluator':
        return evaluator.attach(message.port);
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
        keeper.discard();
        return publish();
      case 'remove':
        handle({ type: 'remove', worker: message.worker });
        return publish();
      case 'pause':
      case 'resume':
      case 'finish':
      case 'reset':
        if (message.type === 'reset') {
          evaluator.cancel();
          wishes += 1;
          if (server.run) keeper.drop(server.run.plan.id);
        }
        handle({ type: message.type });
        return publish();
      default:
        message satisfies never;
    }
  };
}

const words = (error: unknown) => (error instanceof Error ? error.message : String(error));

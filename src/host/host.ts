import type { NodeResources } from '../core/wire/resources.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { BackendChoice } from '../models/backend.ts';
import type { Link, TransportStats } from '../net/link/link.ts';
import { bridge } from '../net/link/port.ts';
import type { Gauges } from '../observe/resource-sampler.ts';
import { runSummary } from '../observe/run-numbers.ts';
import type { FromTrainer, ToTrainer } from '../worker/thread.ts';
import { hostSampler } from './host-sampler.ts';
import { extended, newLog, withCurves, withSample } from './run-log.ts';
import type { Host, HostState, LocalNote, Room, RunLog } from './state.ts';
import { extendTimeline } from './step-recorder.ts';
import type { FromServer, ToServer } from './thread.ts';

const STATS_MS = 2000;

/** A thread of the host's process, whatever kind of process that is. */
export interface Thread<To> {
  post(message: To, transfer?: Transferable[]): void;
  stop(): void;
}

/** Starts a thread; what it says and why it stopped by itself go to the handlers. */
export type Spawn<To, From> = (handlers: { onMessage(message: From): void; onError(text: string): void }) => Thread<To>;

/** A link that counts what it carried and knows whose it is. */
export interface HostLink extends Link {
  /** The worker's browser or process in this room, whatever it calls itself. */
  readonly device: string;
  stats(): Promise<TransportStats>;
}

export interface ListenHandlers {
  onLink(link: HostLink): void;
  onState(state: { readonly kind: Room['signalling']; readonly problem: string | null }): void;
}

/** Carries the links between the host's own worker and the others, where a strategy needs such links. */
export interface LocalMesh {
  hear(message: Extract<FromTrainer, { type: 'peers' | 'signal' }>): void;
  close(): void;
}

export interface HostDeps {
  readonly code: string;
  readonly baseUrl: string;
  readonly backend: BackendChoice;
  readonly device: string;
  /** Whether steps and resources are recorded; otherwise curves and sums alone. */
  readonly observes?: boolean;
  /** Watches what this tab or process uses; without it, only workers tell. */
  readonly gauges?: { readonly source: NodeResources['source']; open(): Gauges };
  /** What to do when a thread is gone, for the person who reads its last words. */
  readonly remedy: string;
  readonly spawnServer: Spawn<ToServer, FromServer>;
  readonly spawnTrainer: Spawn<ToTrainer, FromTrainer>;
  /** Without it, the host's own worker has no links to others. */
  readonly meshFor?: (trainer: Thread<ToTrainer>) => LocalMesh;
  listen(handlers: ListenHandlers): { close(): void };
  /** A worker was removed by hand: its device is to be turned away from now on. */
  onRemoved(link: HostLink): void;
  /** Keeps a run's curves for later comparison; called now and then, and when it is over. */
  keepRun(log: RunLog): Promise<void>;
}

/** A host whose main thread only carries buffers: the server and the trainers are threads of their own. */
export function startHost(deps: HostDeps): Host {
  const { code, baseUrl, backend, observes = true } = deps;
  const listeners = new Set<() => void>();
  const links = new Map<number, LinkEntry>();
  let nextLink = 1;
  let log: { -readonly [Key in keyof RunLog]: RunLog[Key] } | null = null;
  let local: { readonly trainer: Thread<ToTrainer>; readonly link: number; readonly mesh: LocalMesh | null } | null =
    null;
  let evaluator: Thread<ToTrainer> | null = null;
  let localNote: LocalNote = null;
  let served: Extract<FromServer, { type: 'state' }> | null = null;
  let wantsLocal = true;
  const asked = new Map<number, (given: Awaited<ReturnType<Host['parameters']>>) => void>();
  let requests = 0;
  let room: Room = { code, signalling: 'connecting', problem: null };
  let state = snapshot();

  const server = deps.spawnServer({
    onMessage: (message) => hear(message),
    onError: (text) => broken(`The parameter server stopped (${text}). ${deps.remedy}`),
  });
  const tell = (message: ToServer, transfer: Transferable[] = []) => server.post(message, transfer);

  function snapshot(): HostState {
    return {
      room,
      run: served?.run ?? null,
      workers: (served?.workers ?? []).map(({ link, ...worker }) => ({
        ...worker,
        transport: link === null ? null : sinceStart(links.get(link)),
      })),
      trainsHere: wantsLocal,
      note: localNote ?? served?.note ?? null,
      resumable: served?.resumable ?? null,
      examples: served?.examples ?? null,
    };
  }

  function changed(): void {
    state = snapshot();
    for (const listener of listeners) listener();
  }

  function hear(message: FromServer): void {
    switch (message.type) {
      case 'state': {
        const before = served?.run?.phase;
        served = message;
        if (message.run?.phase !== before && isOver(message.run?.phase)) keep();
        return changed();
      }
      case 'curves':
        if (log?.id !== message.id) {
          const { id, experiment, startedAtMs } = message;
          log = newLog(id, experiment, startedAtMs);
        }
        log.train = extended(log.train, message.train);
        log.test = extended(log.test, message.test);
        log.workerCurves = withCurves(log.workerCurves, message.workers);
        if (isOver(served?.run?.phase)) keep();
        return changed();
      case 'steps':
        if (log?.id === message.id) log.timeline = extendTimeline(log.timeline, message);
        return;
      case 'sample':
        if (log) log.resources = withSample(log.resources, workerNode(message.worker), message);
        return;
      case 'parameters': {
        const { version, params } = message;
        asked.get(message.request)?.(params && { version, params });
        asked.delete(message.request);
        return;
      }
      default:
        message satisfies never;
    }
  }

  function keep(): void {
    if (!log || log.test.length === 0) return;
    const { run, workers } = snapshot();
    if (run && log.id === run.id) {
      log.summary = runSummary({ run, workers });
      log.end = { run, workers };
    }
    deps.keepRun(log).catch(() => {});
  }

  function openLink(isLocal: boolean): { id: number; port: MessagePort } {
    const { port1, port2 } = new MessageChannel();
    const id = nextLink;
    nextLink += 1;
    tell({ type: 'link', link: id, isLocal, port: port1 }, [port1]);
    return { id, port: port2 };
  }

  /** A trainer thread of this process; what goes wrong in it is said. */
  function spawn(onMessage: (message: FromTrainer) => void, first: ToTrainer, transfer: Transferable[] = []) {
    const onError = (text: string) => broken(`A trainer thread stopped: ${text || 'it did not start'}. ${deps.remedy}`);
    const trainer = deps.spawnTrainer({ onMessage, onError });
    trainer.post(first, transfer);
    return trainer;
  }

  function broken(text: string): void {
    localNote = { kind: 'broken', text };
    changed();
  }

  function startLocal(): void {
    const { device } = deps;
    const trainer = spawn(hearLocal, { type: 'work', baseUrl, backend, name: '', device, token: '' });
    const { id: link, port } = openLink(true);
    trainer.post({ type: 'attach', port }, [port]);
    local = { trainer, link, mesh: deps.meshFor?.(trainer) ?? null };
    changed();
  }

  function hearLocal(message: FromTrainer): void {
    if (message.type === 'ended') {
      const why = message.trouble && 'detail' in message.trouble ? message.trouble.detail : message.trouble?.code;
      stopLocal();
      wantsLocal = false;
      return why === undefined || why === 'closed' ? changed() : broken(`The host stopped training: ${why}`);
    }
    if (message.type === 'peers' || message.type === 'signal') return local?.mesh?.hear(message);
    if (message.type !== 'view') return;
    const stage = message.change.stage;
    if (!stage) return;
    localNote = stage.kind === 'preparing' ? { kind: 'busy', text: preparingWords[stage.what] } : null;
    changed();
  }

  function stopLocal(): void {
    if (!local) return;
    local.mesh?.close();
    local.trainer.stop();
    tell({ type: 'unlink', link: local.link });
    local = null;
    localNote = null;
  }

  /** Threads that compute start with the first run, so that a page that is only looked at costs nothing. */
  function startEvaluator(): void {
    if (evaluator) return;
    const { port1, port2 } = new MessageChannel();
    evaluator = spawn(() => {}, { type: 'evaluate', baseUrl, backend, port: port1 }, [port1]);
    tell({ type: 'evaluator', port: port2 }, [port2]);
  }

  const prepare = () => {
    localNote = null;
    startEvaluator();
    if (wantsLocal && !local) startLocal();
  };

  const listener = deps.listen({
    onLink(link) {
      const { id, port } = openLink(false);
      links.set(id, { link, stats: null, before: null });
      bridge(link, port);
      const forget = link.onClose;
      link.onClose = (reason) => {
        links.delete(id);
        forget(reason);
      };
      // A run may be over before the timer looks for the first time.
      void lookAtLinks();
    },
    onState({ kind, problem }) {
      room = { code, signalling: kind, problem };
      changed();
    },
  });

  const lookAtLinks = async () => {
    const look = async (entry: LinkEntry) => {
      entry.stats = await entry.link.stats().catch(() => entry.stats);
    };
    await Promise.all([...links.values()].map(look));
  };
  const sampler =
    deps.gauges && observes
      ? hostSampler({
          now: () => performance.now(),
          state: () => state,
          links: () => links,
          openGauges: deps.gauges.open,
        })
      : null;
  const sampleOwn = async () => {
    const { run } = state;
    if (!sampler) return;
    if (run?.phase !== 'running' && run?.phase !== 'finishing') return sampler.close();
    const sample = await sampler.sample();
    const source = deps.gauges?.source ?? 'tab';
    const taken = { atMs: Date.now() - run.startedAtMs, sample };
    if (log) log.resources = withSample(log.resources, { node: 'host', worker: null, source }, taken);
  };
  const statsTimer = setInterval(async () => {
    await lookAtLinks();
    await sampleOwn();
    if (served?.run) changed();
  }, STATS_MS);

  return {
    get state() {
      return state;
    },
    get log() {
      return log;
    },
    subscribe(notify) {
      listeners.add(notify);
      return () => listeners.delete(notify);
    },
    start(experiment: Experiment, most?: number) {
      prepare();
      // The browser counts from the beginning of a link; a run's own share needs a look before it starts.
      void lookAtLinks().then(() => {
        for (const entry of links.values()) entry.before = entry.stats;
        const id = crypto.getRandomValues(new Uint32Array(2)).join('-');
        tell({ type: 'start', id, experiment, most, observes });
      });
    },
    resumeSaved() {
      prepare();
      tell({ type: 'resume-saved' });
    },
    discardSaved: () => tell({ type: 'discard-saved' }),
    pause: () => tell({ type: 'pause' }),
    resume: () => tell({ type: 'resume' }),
    finish: () => tell({ type: 'finish' }),
    reset() {
      log = null;
      tell({ type: 'reset' });
    },
    remove(worker) {
      const link = served?.workers.find((row) => row.worker === worker)?.link ?? null;
      const entry = link === null ? undefined : links.get(link);
      if (entry) deps.onRemoved(entry.link);
      tell({ type: 'remove', worker });
    },
    setTrainsHere(on) {
      wantsLocal = on;
      if (!on) stopLocal();
      else if (!local && served?.run) startLocal();
      changed();
    },
    chooseExamples: (source) => tell({ type: 'examples', source }),
    parameters() {
      requests += 1;
      tell({ type: 'parameters', request: requests });
      return new Promise((resolve) => asked.set(requests, resolve));
    },
    profile(experiment) {
      const of = log;
      return new Promise((resolve, reject) => {
        const trainer: Thread<ToTrainer> = deps.spawnTrainer({
          onMessage(message) {
            if (message.type !== 'profiled' && message.type !== 'profile-failed') return;
            trainer.stop();
            if (message.type === 'profile-failed') return reject(new Error(message.text));
            if (of) of.profile = message.profile;
            changed();
            resolve(message.profile);
          },
          onError: (text) => reject(new Error(`the step could not be taken apart: ${text}`)),
        });
        trainer.post({ type: 'profile', baseUrl, backend, experiment });
      });
    },
    close() {
      clearInterval(statsTimer);
      sampler?.close();
      listener.close();
      server.stop();
      local?.mesh?.close();
      local?.trainer.stop();
      evaluator?.stop();
    },
  };
}

interface LinkEntry {
  readonly link: HostLink;
  stats: TransportStats | null;
  /** As it was when the run began. */
  before: TransportStats | null;
}

/** What the browser counted in this run. */
function sinceStart(entry: LinkEntry | undefined): TransportStats | null {
  if (!entry?.stats) return null;
  const { stats, before } = entry;
  if (!before) return stats;
  return {
    messagesSent: stats.messagesSent - before.messagesSent,
    messagesReceived: stats.messagesReceived - before.messagesReceived,
    bytesSent: stats.bytesSent - before.bytesSent,
    bytesReceived: stats.bytesReceived - before.bytesReceived,
    wireBytesSent: less(stats.wireBytesSent, before.wireBytesSent),
    wireBytesReceived: less(stats.wireBytesReceived, before.wireBytesReceived),
    roundTripMs: stats.roundTripMs,
  };
}

const less = (all: number | null, before: number | null) => (all === null || before === null ? null : all - before);

const isOver = (phase: string | undefined) => phase === 'finished' || phase === 'failed';

const workerNode = (worker: number) => ({ node: `worker ${worker}`, worker, source: 'tab' }) as const;

const preparingWords = {
  library: 'Loading the tensor library…',
  data: 'Loading the training data…',
  'warm-up': 'Warming up…',
} as const;

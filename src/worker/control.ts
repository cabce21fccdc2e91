import { noPhases } from '../core/wire/phases.ts';
import { DialError } from '../net/join/dial-error.ts';
import { type CountedLink, carriedBytes } from '../net/link/link.ts';
import { bridge } from '../net/link/port.ts';
import type { IceServer } from '../net/link/signal.ts';
import type { Gauges, LinkBytes } from '../observe/resource-sampler.ts';
import { meshOf, type TrainerMesh } from './mesh.ts';
import { noTraffic } from './session.ts';
import type { Trouble, WorkerControl, WorkerView } from './state.ts';
import { samplePacer, tabSampler } from './tab-sampler.ts';
import type { FromTrainer, ToTrainer } from './thread.ts';

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 10_000;

/** What a retry cannot mend: the page says what to do instead. */
const finalCodes: readonly Trouble['code'][] = [
  ...(['protocol', 'schema', 'full', 'removed', 'no-webrtc', 'unknown-experiment', 'data', 'device'] as const),
  ...(['not-invited', 'expired', 'code-off', 'not-the-host'] as const),
];
const isFinal = ({ code }: Trouble): boolean => finalCodes.includes(code);

export interface ControlDeps {
  readonly iceServers: readonly IceServer[];
  spawnTrainer(): Worker;
  dial(signal: AbortSignal): Promise<CountedLink>;
  /** The first message to the trainer thread, made at the click. */
  work(): Extract<ToTrainer, { type: 'work' }>;
  /** The host knows this tab by it when it comes back. */
  keepToken(token: string): void;
  /** Called when contributing begins and ends, e.g. to keep the screen on. */
  onActive(isActive: boolean): void;
  /** Watches what this tab uses. Without it nothing is sampled. */
  readonly openGauges?: (() => Gauges) | undefined;
}

/** A worker tab's main thread: carries frames between the link and the trainer thread, and comes back when cut off. */
export function workerControl(deps: ControlDeps): WorkerControl {
  let view: WorkerView = {
    stage: { kind: 'idle' },
    identity: null,
    experiment: null,
    backend: null,
    steps: 0,
    examples: 0,
    stale: 0,
    lastLoss: null,
    phases: noPhases,
    traffic: noTraffic(),
    transfer: null,
    group: null,
    intensity: 1,
  };
  const listeners = new Set<() => void>();
  let trainer: Worker | null = null;
  let mesh: TrainerMesh | null = null;
  let abort = new AbortController();
  let attempt = 0;
  let settings = { intensity: 1, isPaused: false, isFinishing: false };
  let dialled: { readonly link: CountedLink; readonly count: number } | null = null;

  const change = (part: Partial<WorkerView>) => {
    view = { ...view, ...part };
    pacer?.heed(view);
    for (const listener of listeners) listener();
  };

  const tell = (message: ToTrainer, transfer: Transferable[] = []) => trainer?.postMessage(message, transfer);

  const links = async (): Promise<LinkBytes[]> => {
    if (!dialled) return [];
    const toHost = { key: `host ${dialled.count}`, ...carriedBytes(await dialled.link.stats()) };
    return [toHost, ...((await mesh?.carried()) ?? [])];
  };
  const pacer =
    deps.openGauges &&
    samplePacer(
      tabSampler({ now: () => performance.now(), phases: () => view.phases, links, openGauges: deps.openGauges }),
      (sample) => tell({ type: 'sample', sample }),
    );

  const stop = (stage: WorkerView['stage']) => {
    pacer?.stop();
    abort.abort();
    mesh?.close();
    trainer?.terminate();
    trainer = null;
    deps.onActive(false);
    change({ stage });
  };

  const connect = async () => {
    const { signal } = abort;
    try {
      const link = await deps.dial(signal);
      if (signal.aborted) return link.close();
      dialled = { link, count: (dialled?.count ?? 0) + 1 };
      const { port1, port2 } = new MessageChannel();
      bridge(link, port1);
      tell({ type: 'attach', port: port2 }, [port2]);
      signal.addEventListener('abort', () => link.close());
    } catch (error) {
      if (signal.aborted) return;
      retry(error instanceof DialError ? { code: error.code } : { code: 'ice-failed' });
    }
  };

  const retry = (trouble: Trouble) => {
    if (isFinal(trouble)) return stop({ kind: 'broken', trouble });
    attempt += 1;
    change({ stage: { kind: 'reconnecting', attempt, trouble } });
    const { signal } = abort;
    const pauseMs = Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LAST_RETRY_MS);
    setTimeout(() => {
      if (!signal.aborted) void connect();
    }, pauseMs);
  };

  const hear = (message: FromTrainer) => {
    switch (message.type) {
      case 'view':
        if (message.change.identity) {
          attempt = 0;
          deps.keepToken(message.change.identity.token);
        }
        return change(message.change);
      case 'peers':
      case 'signal':
        return mesh?.hear(message);
      case 'ended':
        mesh?.restart();
        if (message.trouble === null || settings.isFinishing) return stop({ kind: 'left' });
        return retry(message.trouble);
      case 'profiled':
      case 'profile-failed':
        // A worker's trainer is never asked for a profile.
        return;
      default:
        message satisfies never;
    }
  };

  const set = (part: Partial<typeof settings>) => {
    settings = { ...settings, ...part };
    tell({ type: 'set', ...settings });
  };

  return {
    get view() {
      return view;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    contribute() {
      if (trainer) return;
      abort = new AbortController();
      attempt = 0;
      settings = { ...settings, isPaused: false, isFinishing: false };
      trainer = deps.spawnTrainer();
      mesh = meshOf(tell, deps.iceServers);
      trainer.onmessage = ({ data }: MessageEvent<FromTrainer>) => hear(data);
      trainer.onerror = ({ message }) =>
        stop({ kind: 'broken', trouble: { code: 'device', detail: message || 'the trainer thread did not start' } });
      tell(deps.work());
      set({});
      deps.onActive(true);
      change({ stage: { kind: 'connecting' }, steps: 0, examples: 0, stale: 0, traffic: noTraffic() });
      void connect();
    },
    setIntensity(intensity) {
      set({ intensity });
      change({ intensity });
    },
    pause() {
      set({ isPaused: true });
    },
    resume() {
      set({ isPaused: false });
    },
    finish() {
      // Between steps a worker that trains shows as waiting.
      if (['training', 'waiting', 'finishing'].includes(view.stage.kind)) {
        change({ stage: { kind: 'finishing' } });
        set({ isFinishing: true });
      } else this.leave();
    },
    leave() {
      if (!trainer) return;
      pacer?.stop();
      tell({ type: 'leave' });
      // The goodbye gets a moment to go out; the thread stops computing at once all the same.
      const leaving = trainer;
      leaving.onmessage = null;
      trainer = null;
      const closing = abort;
      mesh?.close();
      setTimeout(() => {
        closing.abort();
        leaving.terminate();
      }, 200);
      deps.onActive(false);
      change({ stage: { kind: 'left' } });
    },
  };
}

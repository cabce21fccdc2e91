import { noPhases } from '../core/wire/phases.ts';
import { TallyCounter } from '../core/wire/traffic.ts';
import { DialError } from '../net/join/dial-error.ts';
import { type CountedLink, carriedBytes } from '../net/link/link.ts';
import { bridge } from '../net/link/port.ts';
import type { IceServer } from '../net/link/signal.ts';
import type { Gauges, LinkBytes } from '../observe/resource-sampler.ts';
import { meshOf, type TrainerMesh } from './mesh.ts';
import type { SessionSettings } from './session.ts';
import type { Trouble, WorkerControl, WorkerStage, WorkerView } from './state.ts';
import { type SamplePacer, samplePacer, tabSampler } from './tab-sampler.ts';
import type { FromTrainer, ToTrainer } from './thread.ts';

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 10_000;
/** A goodbye gets a moment to go out. */
const GOODBYE_MS = 200;

/** What a retry cannot mend, beside a failure of this tab: the page says what to do instead. */
const finalCodes: readonly Trouble['code'][] = [
  ...(['protocol', 'schema', 'full', 'removed', 'no-webrtc'] as const),
  ...(['not-invited', 'expired', 'code-off', 'not-the-host'] as const),
];
const isFinal = (trouble: Trouble): boolean => 'detail' in trouble || finalCodes.includes(trouble.code);

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

/** What is there from the click until this tab leaves or breaks. */
interface Contribution {
  readonly trainer: Worker;
  readonly mesh: TrainerMesh;
  readonly abort: AbortController;
  /** Since the host last welcomed us. */
  attempts: number;
  /** The last one; its key is the same for as long as it lives. */
  link: { readonly key: string; readonly link: CountedLink } | null;
}

const nothingDone = () => ({
  steps: 0,
  examples: 0,
  stale: 0,
  traffic: { sent: new TallyCounter().counts, received: new TallyCounter().counts },
});

/** A worker tab's main thread: carries frames between the link and the trainer thread, and comes back when cut off. */
export class TabWorker implements WorkerControl {
  readonly #deps: ControlDeps;
  readonly #listeners = new Set<() => void>();
  readonly #pacer: SamplePacer | null;
  #contribution: Contribution | null = null;
  #settings: SessionSettings = { intensity: 1, isPaused: false, isFinishing: false };
  #dials = 0;
  #view: WorkerView = {
    stage: { kind: 'idle' },
    identity: null,
    experiment: null,
    backend: null,
    ...nothingDone(),
    lastLoss: null,
    phases: noPhases,
    transfer: null,
    group: null,
    intensity: 1,
  };

  constructor(deps: ControlDeps) {
    this.#deps = deps;
    const { openGauges } = deps;
    const clock = { now: () => performance.now(), phases: () => this.#view.phases, links: () => this.#carried() };
    this.#pacer = openGauges
      ? samplePacer(tabSampler({ ...clock, openGauges }), (sample) => this.#tell({ type: 'sample', sample }))
      : null;
  }

  get view(): WorkerView {
    return this.#view;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  contribute(): void {
    if (this.#contribution) return;
    const trainer = this.#deps.spawnTrainer();
    const tell = (message: ToTrainer, transfer: Transferable[] = []) => trainer.postMessage(message, transfer);
    const mesh = meshOf(tell, this.#deps.iceServers);
    const current: Contribution = { trainer, mesh, abort: new AbortController(), attempts: 0, link: null };
    this.#contribution = current;
    trainer.onmessage = ({ data }: MessageEvent<FromTrainer>) => this.#hear(current, data);
    // A script that cannot be loaded says nothing.
    trainer.onerror = ({ message }) =>
      this.#stop(current, {
        kind: 'broken',
        trouble: message
          ? { code: 'unexpected', detail: message }
          : { code: 'software', detail: 'The trainer thread did not start.' },
      });
    tell(this.#deps.work());
    this.#set({ isPaused: false, isFinishing: false });
    this.#deps.onActive(true);
    this.#change({ stage: { kind: 'connecting' }, ...nothingDone() });
    void this.#connect(current);
  }

  setIntensity(intensity: number): void {
    this.#set({ intensity });
    this.#change({ intensity });
  }

  readonly pause = () => this.#set({ isPaused: true });
  readonly resume = () => this.#set({ isPaused: false });

  finish(): void {
    // Between steps a worker that trains shows as waiting.
    if (!['training', 'waiting', 'finishing'].includes(this.#view.stage.kind)) return this.leave();
    this.#change({ stage: { kind: 'finishing' } });
    this.#set({ isFinishing: true });
  }

  leave(): void {
    const current = this.#contribution;
    if (!current) return;
    this.#tell({ type: 'leave' });
    // The thread stops computing at once; what it still says does not matter.
    current.trainer.onmessage = null;
    this.#stop(current, { kind: 'left' }, GOODBYE_MS);
  }

  /** Ends the contribution; its link and its thread after a moment. */
  #stop(current: Contribution, stage: WorkerStage, lingerMs = 0): void {
    if (this.#contribution === current) this.#contribution = null;
    const end = () => {
      current.abort.abort();
      current.trainer.terminate();
    };
    this.#pacer?.stop();
    current.mesh.close();
    if (lingerMs > 0) setTimeout(end, lingerMs);
    else end();
    this.#deps.onActive(false);
    this.#change({ stage });
  }

  async #connect(current: Contribution): Promise<void> {
    const { signal } = current.abort;
    try {
      const link = await this.#deps.dial(signal);
      if (signal.aborted) return link.close();
      this.#dials += 1;
      current.link = { key: `host ${this.#dials}`, link };
      const { port1, port2 } = new MessageChannel();
      bridge(link, port1);
      current.trainer.postMessage({ type: 'attach', port: port2 } satisfies ToTrainer, [port2]);
      signal.addEventListener('abort', () => link.close());
    } catch (error) {
      if (!signal.aborted) this.#retry(current, { code: error instanceof DialError ? error.code : 'ice-failed' });
    }
  }

  #retry(current: Contribution, trouble: Trouble): void {
    if (this.#contribution !== current) return;
    if (isFinal(trouble)) return this.#stop(current, { kind: 'broken', trouble });
    current.attempts += 1;
    this.#change({ stage: { kind: 'reconnecting', attempt: current.attempts, trouble } });
    const { signal } = current.abort;
    const pauseMs = Math.min(FIRST_RETRY_MS * 2 ** (current.attempts - 1), LAST_RETRY_MS);
    setTimeout(() => {
      if (!signal.aborted) void this.#connect(current);
    }, pauseMs);
  }

  #hear(current: Contribution, message: FromTrainer): void {
    switch (message.type) {
      case 'view':
        if (message.change.identity) {
          current.attempts = 0;
          this.#deps.keepToken(message.change.identity.token);
        }
        return this.#change(message.change);
      case 'peers':
      case 'signal':
        return current.mesh.hear(message);
      case 'ended':
        current.mesh.restart();
        if (message.trouble === null || this.#settings.isFinishing) return this.#stop(current, { kind: 'left' });
        return this.#retry(current, message.trouble);
      case 'profiled':
      case 'profile-failed':
        // A worker's trainer is never asked for a profile.
        return;
      default:
        message satisfies never;
    }
  }

  #set(part: Partial<SessionSettings>): void {
    this.#settings = { ...this.#settings, ...part };
    this.#tell({ type: 'set', ...this.#settings });
  }

  #tell(message: ToTrainer): void {
    this.#contribution?.trainer.postMessage(message);
  }

  #change(part: Partial<WorkerView>): void {
    this.#view = { ...this.#view, ...part };
    this.#pacer?.update(this.#view);
    for (const listener of this.#listeners) listener();
  }

  async #carried(): Promise<LinkBytes[]> {
    const { link, mesh } = this.#contribution ?? {};
    if (!link || !mesh) return [];
    return [{ key: link.key, ...carriedBytes(await link.link.stats()) }, ...(await mesh.carried())];
  }
}

import { codecs } from '../core/codec/codec.ts';
import type { Experiment } from '../core/config.ts';
import type { Received } from '../core/inbox.ts';
import { noPhases } from '../core/member.ts';
import { type Lease, type Phases, PROTOCOL, readToWorker, type ToHost, type ToWorker } from '../core/protocol.ts';
import type { Traffic } from '../core/traffic.ts';
import { TallyCounter } from '../core/traffic.ts';
import { resolveExperiment } from '../models/plan.ts';
import type { Link } from '../net/link.ts';
import { Messenger } from '../net/messenger.ts';
import type { Trouble, WorkerStage, WorkerView } from './state.ts';

/** The host drops a worker after a minute of silence. */
const BEAT_MS = 5000;
/** In a row; more than the host takes before it ends a run that has diverged, so that the run's end comes first. */
const MAX_FAILURES = 25;

/** A finished step. The gradient's buffer is given away. */
export interface StepResult {
  readonly gradient: Float32Array;
  readonly loss: number;
  readonly decodeMs: number;
  readonly computeMs: number;
  readonly readMs: number;
}

/** What computes; the session only decides when. */
export interface Compute {
  /** Gets model and data ready. May be called again with the same or another experiment. */
  prepare(
    experiment: Experiment,
    onStage: (stage: WorkerStage) => void,
  ): Promise<{ schema: string; backend: { name: string; why: string } }>;
  /** Prepares a lease's batch while there is nothing else to do. */
  prefetch(lease: Lease): void;
  step(params: Float32Array, lease: Lease): Promise<StepResult>;
}

export interface SessionDeps {
  readonly compute: Compute;
  readonly name: string;
  readonly device: string;
  now(): number;
  /** Called with the parts of the view that changed. */
  publish(change: Partial<WorkerView>): void;
  /** A step is over; for timelines. */
  onStep(step: { startedMs: number; version: number; phases: Phases }): void;
}

export interface SessionSettings {
  intensity: number;
  isPaused: boolean;
  isFinishing: boolean;
}

/** The two messages that can carry parameters. */
type Given = Extract<ToWorker, { type: 'work' | 'answer' }>;

/**
 * One worker's side of the protocol over one link: says hello, prepares, computes one step for every set of
 * parameters it is given, and hands it in. `onEnd` is called once, when the link is over.
 */
export class Session {
  readonly #deps: SessionDeps;
  readonly #settings: SessionSettings;
  readonly #messenger: Messenger;
  readonly #onEnd: (trouble: Trouble | null) => void;
  readonly #beat: ReturnType<typeof setInterval>;
  #token: string;
  #run: { run: number; size: number; isReady: boolean } | null = null;
  #leases: Lease[] = [];
  #seq = 0;
  /** Whether a push waits for its answer. */
  #isUnanswered = false;
  /** Since when there is nothing to compute; null before the first step. */
  #awaySinceMs: number | null = null;
  #away = { waitMs: 0, transferMs: 0 };
  #pauses = 0;
  #sendMs = 0;
  #isComputing = false;
  #isOver = false;

  constructor(
    link: Link,
    token: string,
    settings: SessionSettings,
    deps: SessionDeps,
    onEnd: (trouble: Trouble | null) => void,
  ) {
    this.#deps = deps;
    this.#settings = settings;
    this.#token = token;
    this.#onEnd = onEnd;
    this.#messenger = new Messenger(link, {
      onMessage: (message) => this.#receive(message),
      onGarbled: () => this.#end({ code: 'garbled' }),
      onClose: () => this.#end({ code: 'closed' }),
    });
    const { name, device } = deps;
    this.#send({ type: 'hello', protocol: PROTOCOL, token, name, device });
    this.#beat = setInterval(() => this.#send({ type: 'beat' }), BEAT_MS);
  }

  get token(): string {
    return this.#token;
  }

  get traffic(): Traffic {
    return this.#messenger.traffic;
  }

  /** The volunteer paused, went on, or asked to finish: told to the host as soon as no step is under way. */
  settingsChanged(): void {
    if (this.#isOver || this.#isComputing) return;
    if (this.#settings.isFinishing) {
      // A push under way is answered first: closing at once could lose it.
      if (!this.#isUnanswered) this.leave();
      else this.#deps.publish({ stage: { kind: 'finishing' } });
      return;
    }
    // Whoever pauses gives back what it has not computed.
    if (this.#settings.isPaused) this.#leases = [];
    this.#send({ type: this.#settings.isPaused ? 'pause' : 'resume' });
    // A volunteer's pause is nobody's waiting.
    this.#awaySinceMs = null;
    this.#deps.publish({ stage: { kind: this.#settings.isPaused ? 'paused' : 'waiting' } });
  }

  /** Says goodbye and ends; a step under way is lost. */
  leave(): void {
    this.#send({ type: 'leave' });
    this.#end(null);
  }

  #end(trouble: Trouble | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#beat);
    this.#messenger.close();
    this.#onEnd(trouble);
  }

  #receive(received: Received): void {
    let message: ToWorker;
    try {
      message = readToWorker(received.head);
    } catch {
      return this.#end({ code: 'garbled' });
    }
    switch (message.type) {
      case 'welcome':
        this.#token = message.token;
        return this.#deps.publish({
          identity: { worker: message.worker, name: message.name, token: message.token },
          stage: { kind: this.#settings.isPaused ? 'paused' : 'waiting' },
        });
      case 'run':
        void this.#prepare(message.run, message.experiment);
        return;
      case 'work':
        this.#cameBack(Number.POSITIVE_INFINITY);
        return this.#take(message, received.body);
      case 'answer':
        return this.#answered(message, received.body);
      case 'progress':
        return this.#progress(message);
      case 'bye':
        return this.#end({ code: message.reason });
      default:
        message satisfies never;
    }
  }

  async #prepare(run: number, experiment: Experiment): Promise<void> {
    const { publish, compute } = this.#deps;
    this.#leases = [];
    this.#run = { run, size: 0, isReady: false };
    publish({ experiment });
    try {
      const { schema } = resolveExperiment(experiment);
      const ready = await compute.prepare(experiment, (stage) => publish({ stage }));
      if (this.#isOver || this.#run?.run !== run) return;
      this.#run = { run, size: schema.size, isReady: true };
      this.#messenger.expectBodyBytes(codecs.float32.bytesFor(schema.size));
      publish({ backend: ready.backend, stage: { kind: this.#settings.isPaused ? 'paused' : 'waiting' } });
      const { name: backend, why } = ready.backend;
      this.#send({ type: 'ready', run, schema: ready.schema, backend, why: why.slice(0, 200) });
      if (this.#settings.isPaused) this.#send({ type: 'pause' });
    } catch (error) {
      if (this.#isOver) return;
      const detail = error instanceof Error ? error.message : String(error);
      this.#send({ type: 'trouble', run, lease: 0, text: detail.slice(0, 300) });
      this.#end(error instanceof RangeError ? { code: 'unknown-experiment', detail } : { code: 'device', detail });
    }
  }

  #answered(answer: Extract<ToWorker, { type: 'answer' }>, body: Uint8Array): void {
    this.#deps.publish({ traffic: this.traffic });
    this.#isUnanswered = false;
    if (answer.verdict.kind !== 'applied') this.#counted.stale += 1;
    if (this.#settings.isFinishing) return this.leave();
    this.#cameBack(answer.heldMs);
    if (body.length > 0) return this.#take(answer, body);
    if (!this.#settings.isPaused && !this.#settings.isFinishing) this.#deps.publish({ stage: { kind: 'waiting' } });
  }

  #progress(progress: Extract<ToWorker, { type: 'progress' }>): void {
    this.#deps.publish({ group: progress });
    if (progress.phase === 'finished' && !this.#settings.isPaused) this.#deps.publish({ stage: { kind: 'finished' } });
  }

  /** The host spoke: of the time since the push it held it for `heldMs`, the rest was on the way. */
  #cameBack(heldMs: number): void {
    const nowMs = this.#deps.now();
    const awayMs = this.#awaySinceMs === null ? 0 : nowMs - this.#awaySinceMs;
    const waitMs = Math.min(heldMs, awayMs);
    this.#away.waitMs += waitMs;
    this.#away.transferMs += awayMs - waitMs;
    this.#awaySinceMs = nowMs;
  }

  /** Fresh parameters: compute the oldest lease on them. */
  #take({ run, version, leases, pauses }: Given, body: Uint8Array): void {
    if (run !== this.#run?.run || !this.#run.isReady || this.#isOver) return;
    // Given before the host heard of the last pause, and taken back by it since.
    if (pauses !== this.#pauses) return;
    this.#leases.push(...leases);
    const lease = this.#leases.shift();
    if (!lease || this.#settings.isPaused || this.#settings.isFinishing) return;
    const params = codecs.float32.decode(body, this.#run.size);
    void this.#step(run, version, lease, params);
  }

  async #step(run: number, version: number, lease: Lease, params: Float32Array): Promise<void> {
    const { compute, now, publish, onStep } = this.#deps;
    const startedMs = now();
    this.#isComputing = true;
    publish({ stage: { kind: this.#settings.isFinishing ? 'finishing' : 'training' } });
    let result: StepResult;
    try {
      result = await compute.step(params, lease);
    } catch (error) {
      return this.#failed(run, lease, error instanceof Error ? error.message : String(error));
    } finally {
      this.#isComputing = false;
    }
    this.#failures = 0;
    await this.#rest(now() - startedMs);
    if (this.#isOver || run !== this.#run?.run) return;
    const encodeStartMs = now();
    const { gradient, loss, decodeMs, computeMs, readMs } = result;
    const body = new Uint8Array(gradient.buffer, gradient.byteOffset, gradient.byteLength);
    const encodeMs = now() - encodeStartMs;
    const phases = { ...this.#away, decodeMs, computeMs, readMs, encodeMs, sendMs: this.#sendMs };
    this.#seq += 1;
    const { count: examples } = lease;
    const pushedMs = now();
    this.#awaySinceMs = pushedMs;
    this.#away = { waitMs: 0, transferMs: 0 };
    this.#isUnanswered = true;
    this.#send({ type: 'push', run, seq: this.#seq, lease: lease.id, version, examples, loss, phases }, body);
    this.#sendMs = now() - pushedMs;
    this.#count(examples, loss, phases);
    onStep({ startedMs, version, phases });
    const next = this.#leases[0];
    if (this.#settings.isPaused || this.#settings.isFinishing) this.settingsChanged();
    else if (next) compute.prefetch(next);
  }

  /** Nothing of the step is sent; the host deals its examples again and gives other parameters, or none. */
  #failed(run: number, lease: Lease, text: string): void {
    this.#failures += 1;
    this.#send({ type: 'trouble', run, lease: lease.id, text: text.slice(0, 300) });
    if (this.#failures >= MAX_FAILURES) this.#end({ code: 'device', detail: text });
    else this.#deps.publish({ stage: { kind: 'waiting' } });
  }

  #failures = 0;
  #counted = { steps: 0, examples: 0, stale: 0 };
  #phases: Phases = noPhases;

  #count(examples: number, loss: number, phases: Phases): void {
    this.#counted.steps += 1;
    this.#counted.examples += examples;
    const sum = { ...this.#phases };
    for (const key of Object.keys(sum) as (keyof Phases)[]) sum[key] += phases[key];
    this.#phases = sum;
    this.#deps.publish({ ...this.#counted, lastLoss: loss, phases: sum, traffic: this.traffic });
  }

  /** Below full intensity the device rests in proportion to its work. */
  async #rest(workedMs: number): Promise<void> {
    const restMs = workedMs * (1 / this.#settings.intensity - 1);
    if (restMs > 0.5) await new Promise((resolve) => setTimeout(resolve, restMs));
  }

  #send(message: ToHost, body?: Uint8Array): void {
    if (this.#isOver) return;
    if (message.type === 'pause') this.#pauses += 1;
    this.#messenger.send(body ? 'gradients' : 'control', this.#run?.run ?? 0, message, body);
  }
}

/** Nothing sent, nothing received. */
export const noTraffic = (): Traffic => ({ sent: new TallyCounter().counts, received: new TallyCounter().counts });

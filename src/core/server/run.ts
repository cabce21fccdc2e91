import type { Experiment } from '../../experiment/experiment.ts';
import { type Aggregate, aggregates } from '../math/aggregate/aggregate.ts';
import { type Codec, codecNamed } from '../math/codec/codec.ts';
import { Decoder } from '../math/codec/decoder.ts';
import type { Gradient } from '../math/gradient.ts';
import { NormGuard } from '../math/norm-guard.ts';
import { hostOptimizer, type Optimizer } from '../math/optimizer/optimizer.ts';
import { initialParams } from '../math/params.ts';
import { rng } from '../math/rng.ts';
import type { Schema } from '../math/schema.ts';
import { joinState, splitState, stateBytes } from '../ring/state.ts';
import { maxKeyBytes } from '../sparse/key-coding.ts';
import { KeySets } from '../sparse/key-sets.ts';
import { valuesAt } from '../sparse/logistic.ts';
import { sparseMean } from '../sparse/mean.ts';
import { Touched } from '../sparse/touched.ts';
import { UndoLog } from '../sparse/undo-log.ts';
import { Curve } from './curve.ts';
import { Leases, leaseExamples } from './leases.ts';
import {
  noCounters,
  type RunPhase,
  type RunState,
  type StopReason,
  type TestPoint,
  type TrainPoint,
} from './progress.ts';
import type { RunSnapshot, SavedRun } from './saved-run.ts';

/** For codecs that do not round at random: to seed a stream for each version would cost as much as a push. */
const NO_RANDOM = rng(0);
const TRAIN_POINTS = 4000;
const TEST_POINTS = 4000;

/** What starts a run. */
export interface RunPlan {
  readonly id: string;
  readonly experiment: Experiment;
  readonly schema: Schema;
  /** Examples in one epoch. */
  readonly trainCount: number;
  /** At most so many take part, the first that are ready; the others wait. Without it all do. */
  readonly maxWorkers?: number | undefined;
}

/** A moment of a run. */
export type Mark = Pick<TestPoint, 'step' | 'elapsedMs' | 'wallMs' | 'examples'>;

/** The numbers of one run: parameters, optimizer, leases, curves, clock. The server decides what happens to them. */
export class Run {
  readonly plan: RunPlan;
  readonly run: number;
  /** Where workers keep the parameters: the host's last copy, of version `copiedVersion`. */
  readonly params: Float32Array;
  /** Null where every step uses all parameters. */
  readonly keys: KeySets | null;
  /** Where parameters have keys: those that were ever moved. */
  readonly touched: Touched | null;
  readonly optimizer: Optimizer;
  /** Who has the parameters: the host, or each worker its own copy. */
  readonly keeper: 'host' | 'workers';
  readonly leases: Leases;
  readonly train: Curve<TrainPoint>;
  readonly test: Curve<TestPoint>;
  readonly startedAtMs: number;
  phase: RunPhase = 'waiting';
  stopReason: StopReason | null = null;
  version = 0;
  readonly counters: typeof noCounters;
  #elapsedMs = 0;
  #runningSinceMs: number | null = null;
  /** The parameters an evaluation is about; kept only where it may end the run. */
  #evaluated: { readonly params: Float32Array | UndoLog; mark: Mark } | null = null;
  /** Set when the run ended at an earlier version than it had reached. */
  #ending: Mark | null = null;
  readonly #guard = new NormGuard();
  readonly #up: Codec;
  readonly #decoder: Decoder;
  readonly #down: Codec;
  #encoded: { readonly version: number; readonly bytes: Uint8Array } | null = null;
  #copiedVersion: number;
  /** Where workers keep the parameters: what goes with the host's copy. */
  #copied: RunSnapshot | null = null;

  constructor(plan: RunPlan, run: number, wallMs: number, saved?: SavedRun) {
    const { experiment, schema, trainCount } = plan;
    this.plan = plan;
    this.run = run;
    const limit = experiment.epochs === null ? Number.POSITIVE_INFINITY : experiment.epochs * trainCount;
    this.keeper = experiment.strategy === 'allreduce' ? 'workers' : 'host';
    this.keys = schema.keysPerExample === null ? null : new KeySets(schema.size, schema.keysPerExample);
    this.touched = this.keys && new Touched(schema.size);
    this.optimizer = hostOptimizer(experiment, schema.size, this.keys !== null);
    this.params = initialParams(schema, experiment.seed);
    this.#up = codecNamed(experiment.up, experiment.topk);
    this.#decoder = new Decoder(this.#up, schema.size);
    this.#down = codecNamed(experiment.down, experiment.topk);
    this.leases = new Leases(leaseExamples(experiment), limit, saved?.head.leases);
    this.leases.onEnd = (lease) => this.keys?.forget(lease);
    this.train = new Curve(TRAIN_POINTS, saved?.head.train);
    this.test = new Curve(TEST_POINTS, saved?.head.test);
    this.startedAtMs = saved?.head.startedAtMs ?? wallMs;
    this.counters = { ...noCounters, ...saved?.head.counters };
    this.#copiedVersion = saved?.head.version ?? 0;
    if (saved) this.#restore(saved);
    if (this.keeper === 'workers') this.#copied = this.head(0);
  }

  #restore(saved: SavedRun): void {
    const { keys } = saved;
    const own = [this.params, ...this.optimizer.slots];
    const isEmpty = keys?.length === 0;
    if (saved.head.schema !== this.plan.schema.hash || (!isEmpty && saved.arrays.length !== own.length)) {
      throw new Error('the saved run is of another model or optimizer: discard it and start a new one');
    }
    for (const [index, array] of isEmpty ? [] : own.entries()) {
      const values = saved.arrays[index] as Float32Array;
      if (keys === null) array.set(values);
      else for (let i = 0; i < keys.length; i++) array[keys[i] as number] = values[i] as number;
    }
    if (keys) this.touched?.mark(keys);
    this.version = saved.head.version;
    this.#elapsedMs = saved.head.elapsedMs;
  }

  elapsedMs(nowMs: number): number {
    return this.#elapsedMs + (this.#runningSinceMs === null ? 0 : nowMs - this.#runningSinceMs);
  }

  enter(phase: RunPhase, nowMs: number): void {
    this.#elapsedMs = this.elapsedMs(nowMs);
    this.#runningSinceMs = phase === 'running' ? nowMs : null;
    this.phase = phase;
  }

  /** Scales down a gradient that is far larger than those before it. */
  clip(gradient: Float32Array, norm: number): void {
    const factor = this.#guard.admit(norm);
    if (factor >= 1) return;
    this.counters.clipped += 1;
    for (let i = 0; i < gradient.length; i++) gradient[i] = (gradient[i] as number) * factor;
  }

  /** What makes one update of a round's gradients. */
  aggregate(): Aggregate {
    const { aggregate, faulty } = this.plan.experiment;
    return this.keys ? sparseMean() : aggregates[aggregate](this.params.length, faulty);
  }

  apply(gradient: Gradient, scale: number, loss: number, nowMs: number, wallMs: number): void {
    const evaluated = this.#evaluated?.params;
    if (gradient.keys) {
      if (evaluated instanceof UndoLog) evaluated.record(this.params, gradient.keys);
      this.touched?.mark(gradient.keys);
    }
    this.optimizer.apply(this.params, gradient, scale, this.version + 1);
    this.advance(loss, nowMs, wallMs);
    this.#copiedVersion = this.version;
  }

  /** The next version; its numbers are here, or with the workers. */
  advance(loss: number, nowMs: number, wallMs: number): void {
    this.version += 1;
    this.counters.updates += 1;
    this.train.add({ step: this.version, elapsedMs: this.elapsedMs(nowMs), wallMs, loss });
  }

  /** No more updates: the last evaluation may still be under way. */
  get isOver(): boolean {
    return this.phase === 'finishing' || this.phase === 'finished' || this.phase === 'failed';
  }

  /** The highest version anybody was given, even if the run ended at an earlier one. */
  get latestVersion(): number {
    return this.version + this.counters.dropped;
  }

  mark(nowMs: number, wallMs: number): Mark {
    return { step: this.version, elapsedMs: this.elapsedMs(nowMs), examples: this.leases.counted, wallMs };
  }

  /** Remembers the parameters of this moment if the run may end here. */
  remember(mark: Mark): void {
    if (this.plan.experiment.untilLoss === null) return;
    this.#evaluated ??= { params: this.keys ? new UndoLog() : new Float32Array(this.params.length), mark };
    const { params } = this.#evaluated;
    if (params instanceof UndoLog) params.clear();
    else params.set(this.params);
    this.#evaluated.mark = mark;
  }

  /** Whether the parameters here are those of the current version. */
  get isCopyCurrent(): boolean {
    return this.#copiedVersion === this.version;
  }

  /** Takes a worker's parameters and optimizer state of that moment as the host's copy; false if they are malformed. */
  takeCopy(head: RunSnapshot, body: Uint8Array): boolean {
    if (!splitState(body, [this.params, ...this.optimizer.slots])) return false;
    this.#copiedVersion = head.version;
    this.#copied = head;
    return true;
  }

  /** No worker has the current parameters any more: the host's copy replaces them, and later updates are lost. */
  fallBackToCopy(): void {
    this.counters.lost += this.version - this.#copiedVersion;
    this.#copiedVersion = this.version;
  }

  /**
   * What is sent to a worker: the parameters (one copy per version), with optimizer state where workers keep them. Where
   * they have keys, only those of the lease that is `due`.
   */
  outgoing(due = 0): Uint8Array {
    if (this.keys) {
      const values = valuesAt(this.params, this.keys.of(due) ?? new Uint32Array(0));
      return this.#down.encode(values, NO_RANDOM);
    }
    if (this.#encoded?.version !== this.version) {
      const { seed } = this.plan.experiment;
      const bytes =
        this.keeper === 'workers'
          ? joinState([this.params, ...this.optimizer.slots])
          : this.#down.encode(this.params, this.#down.name === 'int8' ? rng(seed, 'down', this.version) : NO_RANDOM);
      this.#encoded = { version: this.version, bytes };
    }
    return this.#encoded.bytes;
  }

  /** The numbers of a push for this lease, or why they are of no use. */
  decode(bytes: Uint8Array, lease: number): Gradient | 'wrong-size' | 'not-finite' {
    const keys = this.keys?.of(lease) ?? null;
    // The host does not know the lease's keys.
    if (this.keys && !keys) return 'wrong-size';
    const decoder = keys ? new Decoder(this.#up, keys.length) : this.#decoder;
    if (bytes.length !== decoder.bytes) return 'wrong-size';
    const values = decoder.decode(bytes);
    return values ? { values, keys } : 'not-finite';
  }

  /** A gradient that `decode` gave is no longer needed: the next may have its memory. */
  recycle({ values, keys }: Gradient): void {
    if (keys === null) this.#decoder.recycle(values);
  }

  /** The longest body a worker may send. */
  get incomingBytes(): number {
    if (this.keys) {
      const maxKeys = this.keys.maxFor(leaseExamples(this.plan.experiment));
      return this.#up.bytesFor(maxKeys) + maxKeyBytes(maxKeys);
    }
    const isKept = this.keeper === 'workers';
    return isKept ? stateBytes(this.params.length, this.optimizer.slots.length) : this.#decoder.bytes;
  }

  /**
   * Ends the run with the parameters of its last evaluation, which met the stop rule: updates made meanwhile are dropped
   * from the result and counted as such.
   */
  endAtEvaluation(): void {
    if (!this.#evaluated) return;
    const { params, mark } = this.#evaluated;
    this.counters.dropped = this.version - mark.step;
    if (params instanceof UndoLog) params.rewind(this.params);
    else this.params.set(params);
    this.version = mark.step;
    this.#copiedVersion = mark.step;
    this.#ending = mark;
  }

  /** The stop rule that is met now; the test loss is checked elsewhere. */
  reachedStop(nowMs: number): StopReason | null {
    const { maxSteps, minutes } = this.plan.experiment;
    if (maxSteps !== null && this.version >= maxSteps) return 'steps';
    if (this.leases.counted >= this.leases.limit) return 'epochs';
    if (minutes !== null && this.elapsedMs(nowMs) >= minutes * 60_000) return 'minutes';
    return null;
  }

  state(nowMs: number): RunState {
    const { phase, stopReason, version } = this;
    return {
      id: this.plan.id,
      run: this.run,
      experiment: this.plan.experiment,
      phase,
      stopReason,
      version,
      examples: this.#ending?.examples ?? this.leases.counted,
      elapsedMs: this.#ending?.elapsedMs ?? this.elapsedMs(nowMs),
      startedAtMs: this.startedAtMs,
      leftMs: this.#leftMs(nowMs),
      counters: { ...this.counters, leasesReturned: this.leases.returns },
    };
  }

  #leftMs(nowMs: number): number | null {
    if (this.phase !== 'running') return null;
    const { maxSteps, minutes } = this.plan.experiment;
    const elapsedMs = this.elapsedMs(nowMs);
    const { counted, limit } = this.leases;
    const guesses: number[] = [];
    if (minutes !== null) guesses.push(minutes * 60_000 - elapsedMs);
    if (maxSteps !== null && this.version > 0) guesses.push(((maxSteps - this.version) * elapsedMs) / this.version);
    if (Number.isFinite(limit) && counted > 0) guesses.push(((limit - counted) * elapsedMs) / counted);
    return guesses.length === 0 ? null : Math.max(0, Math.min(...guesses));
  }

  /** All that is needed to go on. The arrays are live: copy them before anything else happens. */
  snapshot(nowMs: number): SavedRun {
    return { head: this.#copied ?? this.head(nowMs), keys: null, arrays: [this.params, ...this.optimizer.slots] };
  }

  /** The run as it is, without its numbers. */
  head(nowMs: number): RunSnapshot {
    return {
      id: this.plan.id,
      experiment: this.plan.experiment,
      schema: this.plan.schema.hash,
      version: this.version,
      elapsedMs: this.elapsedMs(nowMs),
      startedAtMs: this.startedAtMs,
      leases: this.leases.snapshot(),
      counters: { ...this.counters },
      train: this.train.snapshot(),
      test: this.test.snapshot(),
    };
  }
}

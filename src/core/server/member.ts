import type { Phases, Verdict } from '../wire/protocol.ts';
import { MeanCurve } from './mean-curve.ts';
import type { TrainPoint, WorkerPhase, WorkerState } from './progress.ts';
import type { Push } from './push-check.ts';
import { Rate } from './rate.ts';

/** Short, easy to tell apart, easy to say. */
const NAMES =
  'Wren Finch Robin Swift Heron Lark Owl Crane Dove Egret Falcon Gull Ibis Jay Kite Loon Magpie Nuthatch Osprey Plover Quail Raven Stork Tern Vireo Warbler Avocet Bunting Curlew Dipper Eider Fulmar'.split(
    ' ',
  );

/** A push that waits for its answer. */
export interface Pending {
  readonly seq: number;
  readonly sinceMs: number;
  verdict: Verdict | null;
}

export const noPhases: Phases = {
  waitMs: 0,
  transferMs: 0,
  decodeMs: 0,
  computeMs: 0,
  readMs: 0,
  encodeMs: 0,
  sendMs: 0,
};

/** Both together. */
export const addPhases = (a: Phases, b: Phases): Phases => ({
  waitMs: a.waitMs + b.waitMs,
  transferMs: a.transferMs + b.transferMs,
  decodeMs: a.decodeMs + b.decodeMs,
  computeMs: a.computeMs + b.computeMs,
  readMs: a.readMs + b.readMs,
  encodeMs: a.encodeMs + b.encodeMs,
  sendMs: a.sendMs + b.sendMs,
});

const zeros = { applied: 0, stale: 0, rejected: 0, examples: 0, stalenessSum: 0, stalenessMax: 0, peerBytes: 0 };

/** What survives a restart of the host. */
export interface MemberRecord {
  readonly worker: number;
  readonly token: string;
  readonly name: string;
}

/** One worker, from its first hello to the end of the host; its counters are of the current run. */
export class Member implements MemberRecord {
  readonly worker: number;
  readonly token: string;
  readonly isLocal: boolean;
  name: string;
  device = '';
  backend = '';
  why = '';
  trouble: string | null = null;
  /** Null while it is away. */
  link: number | null = null;
  /** `greeting` and `paused` are only for show; a volunteer's pause is `isPaused`. */
  phase: Exclude<WorkerPhase, 'greeting' | 'paused'> = 'gone';
  isPaused = false;
  /** Heard on this link. */
  pauses = 0;
  heardMs = 0;
  lastSeq = 0;
  /** The version it was given last, and the one before: a worker may be a step behind what is on its way to it. */
  version = 0;
  previousVersion = 0;
  /** What it computes was taken back; its push will be stale. */
  isRevoked = false;
  /** It was told to compute a lease whose keys it has yet to tell. */
  owesKeys = false;
  pending: Pending | null = null;
  /** The lease behind the pending push: it stays counted with the push even if its worker leaves. */
  delivered: number | null = null;
  #counters = { ...zeros };
  #phases: Phases = noPhases;
  #lastLoss: number | null = null;
  #rate = new Rate();
  /** Its own batches in this run. */
  curve = new MeanCurve();

  constructor(worker: number, token: string, name: string, isLocal: boolean) {
    this.worker = worker;
    this.token = token;
    this.isLocal = isLocal;
    this.name = name || (isLocal ? 'Host' : (NAMES[(worker - 1 + NAMES.length) % NAMES.length] ?? `Worker ${worker}`));
  }

  get isHere(): boolean {
    return this.link !== null;
  }

  /** Ready for work: nothing to compute and no push that still needs a verdict. */
  get isIdle(): boolean {
    if (this.link === null || this.isPaused) return false;
    return this.phase === 'ready' || (this.phase === 'held' && this.pending?.verdict != null);
  }

  /** Takes part just now: idle, computing, or waiting for a verdict. */
  get isActive(): boolean {
    return this.link !== null && !this.isPaused && this.phase !== 'preparing' && this.phase !== 'gone';
  }

  count(verdict: Verdict, examples: number, nowMs: number): void {
    this.#counters[verdict.kind] += 1;
    if (verdict.kind !== 'applied') return;
    this.#counters.examples += examples;
    this.#counters.stalenessSum += verdict.staleness;
    this.#counters.stalenessMax = Math.max(this.#counters.stalenessMax, verdict.staleness);
    this.#rate.add(nowMs, examples);
  }

  measure({ phases, loss, peerBytes, examples, correct }: Push, at: TrainPoint): void {
    this.#counters.peerBytes += peerBytes;
    this.#phases = addPhases(this.#phases, phases);
    this.#lastLoss = loss;
    this.curve.add(at, examples, correct && Math.min(correct, examples));
  }

  /** A new run: the counters start again, the person stays. */
  restart(): void {
    this.#counters = { ...zeros };
    this.#phases = noPhases;
    this.#lastLoss = null;
    this.#rate = new Rate();
    this.curve = new MeanCurve();
    this.pending = null;
    this.delivered = null;
    this.trouble = null;
    if (this.isHere) this.phase = 'preparing';
  }

  state(nowMs: number): WorkerState {
    const { worker, name, isLocal, device, backend, why, trouble } = this;
    const rests = this.isPaused && (this.phase === 'ready' || this.phase === 'preparing');
    return {
      worker,
      name,
      isLocal,
      device,
      backend,
      why,
      trouble,
      phase: rests ? 'paused' : this.phase,
      ...this.#counters,
      phases: this.#phases,
      lastLoss: this.#lastLoss,
      examplesPerSecond: this.#rate.perSecond(nowMs),
    };
  }
}

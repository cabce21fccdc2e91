import { type Rng, rng } from '../../core/math/rng.ts';
import { noCounters } from '../../core/server/progress.ts';
import { noPhases } from '../../core/wire/phases.ts';
import { type Kind, kinds, type Phases } from '../../core/wire/protocol.ts';
import { defaultExperiment, type Experiment } from '../../experiment/experiment.ts';
import type { Bytes, WorkerReport } from '../run-report.ts';
import type { HostSpan, StepTrace } from '../step-trace.ts';
import type { RunFacts } from './shares.ts';

/** Workers, links, a server and an evaluator, with how long each takes. All times in milliseconds. */
export interface Model {
  readonly strategy: Experiment['strategy'];
  /** Per worker: its own work. */
  readonly ownMs: readonly number[];
  /** Per worker: there and back. */
  readonly linkMs: readonly number[];
  /** Of the server, for each push. */
  readonly applyMs: number;
  /** Of the evaluator, for each evaluation. */
  readonly evaluationMs: number;
  readonly evalEvery: number;
  /** How much an own time varies, as a share of it. */
  readonly jitter: number;
  readonly maxStaleness: number | null;
  readonly isFirstLocal: boolean;
  /** Whether a worker rests for its time instead of computing: a rest is no phase. */
  readonly isRest: boolean;
  readonly seed: number;
}

interface Worker {
  phases: Phases;
  pushedMs: number;
  away: { waitMs: number; transferMs: number };
  version: number;
  applied: number;
  stale: number;
  stalenessSum: number;
  seq: number;
}

/** Runs the model for so many pushes and reports it the way a host does. */
export class Queueing {
  readonly #model: Model;
  readonly #random: Rng;
  readonly #workers: Worker[];
  readonly #steps: StepTrace[] = [];
  readonly #spans: HostSpan[] = [];
  #freeMs = 0;
  #busyMs = 0;
  #version = 0;
  #evaluatedMs = 0;
  #holdMs = 0;
  #holdUntilMs = 0;
  #endMs = 0;

  constructor(model: Model) {
    this.#model = model;
    this.#random = rng(model.seed, 'queueing');
    this.#workers = model.ownMs.map(() => ({
      phases: noPhases,
      pushedMs: 0,
      away: { waitMs: 0, transferMs: 0 },
      version: 0,
      applied: 0,
      stale: 0,
      stalenessSum: 0,
      seq: 0,
    }));
  }

  run(pushes: number): RunFacts {
    const { strategy } = this.#model;
    if (strategy === 'async') this.#async(pushes);
    else this.#rounds(Math.ceil(pushes / this.#workers.length));
    return this.#report();
  }

  #rounds(count: number): void {
    const { ownMs, linkMs } = this.#model;
    let starts = ownMs.map(() => 0);
    for (let round = 0; round < count; round++) {
      const arrivals = starts.map((startMs, index) => {
        const worker = this.#workers[index] as Worker;
        worker.pushedMs = startMs + this.#work(index);
        return { index, atMs: worker.pushedMs + (linkMs[index] as number) / 2 };
      });
      const handled = arrivals.sort((a, b) => a.atMs - b.atMs).map(({ index, atMs }) => this.#serve(index, atMs));
      const lastMs = handled.at(-1)?.startMs ?? 0;
      this.#updated(lastMs);
      const releasedMs = Math.max(this.#freeMs, this.#holdUntilMs);
      const next = [...starts];
      for (const { index, startMs, step } of handled) {
        const worker = this.#workers[index] as Worker;
        worker.applied += 1;
        next[index] = this.#release(index, startMs, releasedMs, lastMs, step);
      }
      starts = next;
    }
  }

  #async(count: number): void {
    const { ownMs, linkMs, maxStaleness } = this.#model;
    const arrive = (index: number, startMs: number) => {
      const worker = this.#workers[index] as Worker;
      worker.pushedMs = startMs + this.#work(index);
      return { index, atMs: worker.pushedMs + (linkMs[index] as number) / 2 };
    };
    const queue = ownMs.map((_, index) => arrive(index, 0));
    for (let push = 0; push < count; push++) {
      queue.sort((a, b) => b.atMs - a.atMs);
      const { index, atMs } = queue.pop() as { index: number; atMs: number };
      const worker = this.#workers[index] as Worker;
      const { startMs, step } = this.#serve(index, atMs);
      const staleness = this.#version - worker.version;
      if (maxStaleness !== null && staleness > maxStaleness) worker.stale += 1;
      else {
        worker.applied += 1;
        worker.stalenessSum += staleness;
        this.#updated(startMs);
      }
      const releasedMs = Math.max(this.#freeMs, this.#holdUntilMs);
      worker.version = this.#version;
      const heldFromMs = this.#holdUntilMs > this.#freeMs ? releasedMs : startMs;
      queue.push(arrive(index, this.#release(index, startMs, releasedMs, heldFromMs, step)));
    }
  }

  /** One step's own work, whose phases go out with its push. */
  #work(index: number): number {
    const { ownMs, jitter, isRest } = this.#model;
    const worker = this.#workers[index] as Worker;
    const workMs = (ownMs[index] as number) * (1 + jitter * (this.#random.uniform() - 0.5));
    const computeMs = isRest ? workMs * 0.05 : workMs;
    const phases = { ...noPhases, ...worker.away, computeMs };
    worker.phases = sumOf(worker.phases, phases);
    worker.away = { waitMs: 0, transferMs: 0 };
    return workMs;
  }

  /** The server's turn, when it is free. */
  #serve(index: number, atMs: number): { index: number; startMs: number; step: StepTrace } {
    const { applyMs, isRest, ownMs } = this.#model;
    const worker = this.#workers[index] as Worker;
    const startMs = Math.max(atMs, this.#freeMs);
    this.#freeMs = startMs + applyMs;
    this.#busyMs += applyMs;
    this.#endMs = this.#freeMs;
    worker.seq += 1;
    const computeMs = (ownMs[index] as number) * (isRest ? 0.05 : 1);
    const phases = { ...noPhases, ...this.#lastAway(index), computeMs };
    const common = { version: this.#version, examples: 1, answerMs: 0, staleness: 0, verdict: 'applied' as const };
    const step = {
      worker: this.#numberOf(index),
      seq: worker.seq,
      givenMs: null,
      pausedMs: 0,
      receivedMs: startMs,
      answeredMs: null,
      applyMs,
      phases,
      ...common,
    };
    return { index, startMs, step };
  }

  /** 0 is the host's own. */
  #numberOf(index: number): number {
    return this.#model.isFirstLocal ? index : index + 1;
  }

  readonly #aways = new Map<number, { waitMs: number; transferMs: number }>();
  #lastAway(index: number) {
    return this.#aways.get(index) ?? { waitMs: 0, transferMs: 0 };
  }

  /** When the worker can go on; held from `startMs` to `heldUntilMs`, the rest was on the way. */
  #release(index: number, startMs: number, releasedMs: number, heldUntilMs: number, step: StepTrace): number {
    const worker = this.#workers[index] as Worker;
    const nextMs = releasedMs + (this.#model.linkMs[index] as number) / 2;
    const held = Math.max(heldUntilMs, this.#holdUntilMs > this.#freeMs ? releasedMs : 0) - startMs;
    const waitMs = Math.max(0, held);
    worker.away = { waitMs, transferMs: nextMs - worker.pushedMs - waitMs };
    this.#aways.set(index, worker.away);
    this.#steps.push({ ...step, answeredMs: releasedMs });
    return nextMs;
  }

  /** As a server does it: one at a time, training never more than one ahead. */
  #updated(nowMs: number): void {
    const { evalEvery, evaluationMs } = this.#model;
    this.#version += 1;
    if (this.#version % evalEvery !== 0) return;
    const startMs = Math.max(nowMs, this.#evaluatedMs);
    this.#holdMs += startMs - nowMs;
    if (startMs > nowMs) this.#holdUntilMs = startMs;
    this.#evaluatedMs = startMs + evaluationMs;
    this.#spans.push({ kind: 'evaluation', startMs, durationMs: evaluationMs });
  }

  #report(): RunFacts {
    const { strategy, evalEvery, maxStaleness } = this.#model;
    const wallMs = Math.max(this.#endMs, this.#holdUntilMs);
    return {
      format: 'manyhands-run/2',
      id: 'a run',
      experiment: { ...defaultExperiment, strategy, workers: this.#workers.length, evalEvery, maxStaleness },
      emulated: null,
      phase: 'finished',
      stopReason: 'steps',
      steps: this.#version,
      examples: this.#version,
      wallSeconds: wallMs / 1000,
      startedAt: '2026-01-02T03:04:05.000Z',
      testLoss: null,
      testAccuracy: null,
      best: null,
      workers: this.#workers.map((worker, index) => workerReport(worker, this.#numberOf(index))),
      server: { ...noCounters, busyMs: this.#busyMs, evaluationHoldMs: this.#holdMs, evaluations: this.#spans.length },
      machine: { userAgent: 'Chromium' },
      series: { train: [], test: [] },
      resources: [],
      timeline: { steps: this.#steps, spans: this.#spans },
      profile: null,
    };
  }
}

const sumOf = (a: Phases, b: Phases): Phases => ({
  ...a,
  waitMs: a.waitMs + b.waitMs,
  transferMs: a.transferMs + b.transferMs,
  computeMs: a.computeMs + b.computeMs,
});

function workerReport(worker: Worker, number: number): WorkerReport {
  const { applied, stale, phases, stalenessSum } = worker;
  const none = Object.fromEntries([...kinds, 'total'].map((kind) => [kind, 0])) as Record<Kind | 'total', number>;
  const bytes: Bytes = { ...none, gradients: 31_400 * applied, total: 31_400 * applied };
  return {
    worker: number,
    name: `Wren ${number}`,
    isLocal: number === 0,
    backend: 'wasm',
    why: '',
    device: '',
    phase: 'ready',
    trouble: null,
    steps: applied + stale,
    applied,
    stale,
    rejected: 0,
    examples: applied,
    phases,
    staleness: { mean: applied === 0 ? 0 : stalenessSum / applied, max: 0 },
    bytesUp: bytes,
    bytesDown: bytes,
    bytesToPeers: 0,
    transport: null,
    curve: [],
  };
}

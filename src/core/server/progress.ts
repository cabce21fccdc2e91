import type { Experiment } from '../../experiment/experiment.ts';
import { noPhases } from '../wire/phases.ts';
import type { RunPhase } from '../wire/protocol.ts';
import type { Traffic, TransportStats } from '../wire/traffic.ts';

export type { RunPhase } from '../wire/protocol.ts';

export const stopReasons = ['loss', 'steps', 'epochs', 'minutes', 'host', 'diverged', 'evaluator'] as const;
/** Why a run ended. */
export type StopReason = (typeof stopReasons)[number];

/** What the host's server is doing, for pages and reports; plain data. */
export interface RunState {
  readonly id: string;
  readonly run: number;
  readonly experiment: Experiment;
  readonly phase: RunPhase;
  readonly stopReason: StopReason | null;
  readonly version: number;
  readonly examples: number;
  /** Milliseconds spent running: pauses and waiting for the first workers do not count. */
  readonly elapsedMs: number;
  readonly startedAtMs: number;
  /** A guess from the pace so far, or null while there is none. */
  readonly leftMs: number | null;
  readonly counters: ServerCounters;
}

/** Nothing happened yet. */
export const noCounters = {
  updates: 0,
  /** Updates made after the evaluation that ended the run; not part of its result. */
  dropped: 0,
  applied: 0,
  stale: 0,
  rejected: 0,
  /** Pushes scaled down because their norm was far beyond that of the others. */
  clipped: 0,
  /** Updates that only workers had, all of whom left; the run went on from the host's last copy. */
  lost: 0,
  leasesReturned: 0,
  evaluations: 0,
  /** Time in which training stood still because an evaluation was not done. */
  evaluationHoldMs: 0,
  /** Time the server thread spent handling messages. */
  busyMs: 0,
};
export type ServerCounters = Readonly<typeof noCounters>;

export type WorkerPhase = 'preparing' | 'ready' | 'computing' | 'held' | 'paused' | 'gone';

/** A worker that has done nothing in this run yet. */
export const noWorkerCounts = {
  applied: 0,
  stale: 0,
  rejected: 0,
  /** Of applied pushes. */
  examples: 0,
  /** Summed over all pushes; steps = applied + stale + rejected. */
  phases: noPhases,
  stalenessSum: 0,
  stalenessMax: 0,
  /** Sent straight to other workers. */
  peerBytes: 0,
  lastLoss: null as number | null,
};

/** One worker as the host sees it. Counters survive a reconnect. */
export interface WorkerState extends Readonly<typeof noWorkerCounts> {
  readonly worker: number;
  readonly name: string;
  readonly isLocal: boolean;
  readonly device: string;
  readonly backend: string;
  readonly why: string;
  readonly phase: WorkerPhase;
  readonly trouble: string | null;
  /** Examples applied per second over the last few seconds. */
  readonly examplesPerSecond: number;
}

/** A worker with what its link carried, counted at the host: `sent` went down to the worker. */
export interface CountedWorker extends WorkerState {
  readonly traffic: Traffic;
  /** From the transport's own counters; null for the worker in the host itself and where not yet known. */
  readonly transport: TransportStats | null;
}

/** A run and its workers at one moment. */
export interface RunMoment {
  readonly run: RunState;
  readonly workers: readonly CountedWorker[];
}

/** A point of the training curve: the mean loss of the batches behind one update. */
export interface TrainPoint {
  readonly step: number;
  readonly elapsedMs: number;
  readonly wallMs: number;
  readonly loss: number;
}

/** A point of one worker's own curve: the mean over its recent batches. */
export interface WorkerPoint extends TrainPoint {
  /** The share of right predictions in them, with the parameters they were computed on; null if they were not counted. */
  readonly accuracy: number | null;
}

/** One worker's own curve. */
export interface WorkerCurve {
  readonly worker: number;
  readonly points: readonly WorkerPoint[];
}

/** An evaluation on the whole test set. */
export interface TestPoint extends TrainPoint {
  readonly examples: number;
  readonly accuracy: number;
  /** The share of right predictions in each batch of the test set, in order. */
  readonly precisions: readonly number[];
  /** The chance that an example of class 1 scores above one of class 0; null unless there are two classes. */
  readonly auc: number | null;
}

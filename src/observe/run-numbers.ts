import type { RunState, WorkerState } from '../core/server/progress.ts';
import { type Kind, kinds } from '../core/wire/protocol.ts';
import type { Traffic } from '../core/wire/traffic.ts';

/** What a run came to, compact enough to be kept with its curves: the numbers that runs are compared by. */
export interface RunNumbers {
  /** Spent training: pauses and waiting for the first workers do not count. */
  readonly elapsedMs: number;
  readonly steps: number;
  readonly examples: number;
  /** Of these, computed since bytes were counted: fewer than `examples` if the run was resumed. */
  readonly countedExamples: number;
  /** Workers of which something was applied. */
  readonly workers: number;
  readonly applied: number;
  readonly stale: number;
  readonly rejected: number;
  /** Over applied pushes. */
  readonly stalenessMean: number;
  readonly stalenessMax: number;
  /** From workers to the host; the host's own worker uses no wire. */
  readonly bytesUp: Readonly<Record<Kind, number>>;
  readonly bytesDown: Readonly<Record<Kind, number>>;
  /** From workers straight to others. */
  readonly bytesBetween: number;
  /** The part of the workers' time spent waiting for others. */
  readonly waitShare: number | null;
}

type Counted = WorkerState & { readonly traffic: Traffic };

/** Sums a run up as it stands now; null while there is none. */
export function runSummary({ run, workers }: { run: RunState | null; workers: readonly Counted[] }): RunNumbers | null {
  if (run === null) return null;
  const sum = (read: (worker: Counted) => number, of = workers) =>
    of.reduce((total, worker) => total + read(worker), 0);
  const remote = workers.filter(({ isLocal }) => !isLocal);
  const bytes = (way: keyof Traffic) => {
    const byKind = kinds.map((kind) => [kind, sum(({ traffic }) => traffic[way][kind].bytes, remote)]);
    return Object.fromEntries(byKind) as Record<Kind, number>;
  };
  const applied = sum((worker) => worker.applied);
  const workedMs = sum(({ phases }) => Object.values(phases).reduce((total, ms) => total + ms, 0));
  return {
    elapsedMs: run.elapsedMs,
    steps: run.version,
    examples: run.examples,
    countedExamples: sum((worker) => worker.examples),
    workers: workers.filter((worker) => worker.applied > 0).length,
    applied: run.counters.applied,
    stale: run.counters.stale,
    rejected: run.counters.rejected,
    stalenessMean: applied === 0 ? 0 : sum((worker) => worker.stalenessSum) / applied,
    stalenessMax: workers.reduce((most, { stalenessMax }) => Math.max(most, stalenessMax), 0),
    bytesUp: bytes('received'),
    bytesDown: bytes('sent'),
    bytesBetween: sum(({ peerBytes }) => peerBytes),
    waitShare: workedMs === 0 ? null : sum(({ phases }) => phases.waitMs) / workedMs,
  };
}

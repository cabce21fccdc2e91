import type {
  CountedWorker,
  RunMoment,
  RunPhase,
  ServerCounters,
  StopReason,
  TestPoint,
  TrainPoint,
  WorkerCurve,
  WorkerPhase,
  WorkerPoint,
} from '../core/server/progress.ts';
import { type Kind, kinds, type Phases } from '../core/wire/protocol.ts';
import type { NodeResources } from '../core/wire/resources.ts';
import { type Tally, type TransportStats, tallyBytes } from '../core/wire/traffic.ts';
import { emulatedWords } from '../experiment/emulated.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { StepProfile, Timeline } from './step-trace.ts';
import { type RunVerdict, runVerdict } from './verdict.ts';

/** The curves of a run. */
export interface Series {
  readonly train: readonly TrainPoint[];
  readonly test: readonly TestPoint[];
}

/** All that was recorded while a run went on. */
export interface Recorded extends Series {
  readonly workerCurves: readonly WorkerCurve[];
  readonly resources: readonly NodeResources[];
  readonly timeline: Timeline;
  readonly profile: StepProfile | null;
}

/** What ran it: versions, browser, cores, whatever helps to read the times. */
export type Machine = Readonly<Record<string, string | number | boolean | null>>;

export type Bytes = Readonly<Record<Kind | 'total', number>>;

export interface WorkerReport {
  readonly worker: number;
  readonly name: string;
  readonly isLocal: boolean;
  readonly backend: string;
  readonly why: string;
  readonly device: string;
  readonly phase: WorkerPhase;
  readonly trouble: string | null;
  readonly steps: number;
  readonly applied: number;
  readonly stale: number;
  readonly rejected: number;
  readonly examples: number;
  readonly phases: Phases;
  readonly staleness: { readonly mean: number; readonly max: number };
  readonly bytesUp: Bytes;
  readonly bytesDown: Bytes;
  /** Sent straight to other workers. */
  readonly bytesToPeers: number;
  readonly transport: (TransportStats & { readonly unaccountedBytes: number }) | null;
  readonly curve: readonly WorkerPoint[];
}

/** Everything about one run, as plain JSON. */
export interface RunReport {
  readonly format: 'manyhands-run/2';
  readonly id: string;
  readonly experiment: Experiment;
  /** The conditions that were made up for it, in words; null if none were. */
  readonly emulated: string | null;
  readonly phase: RunPhase;
  readonly stopReason: StopReason | null;
  readonly steps: number;
  readonly examples: number;
  /** Spent training: pauses and waiting for the first workers do not count. */
  readonly wallSeconds: number;
  readonly startedAt: string;
  /** Of the last parameters. */
  readonly testLoss: number | null;
  readonly testAccuracy: number | null;
  /** The look at the test set with the least loss: training goes on while one is under way, and may leave it behind. */
  readonly best: TestPoint | null;
  readonly workers: readonly WorkerReport[];
  readonly server: ServerCounters;
  readonly machine: Machine;
  readonly series: Series;
  readonly resources: readonly NodeResources[];
  readonly timeline: Timeline;
  /** One step, operator by operator; null if nobody asked for it. */
  readonly profile: StepProfile | null;
  /** What the run was bound by; null if nothing was trained. */
  readonly verdict: RunVerdict | null;
}

/** Puts together what a run did. A worker's steps are all its pushes, whatever became of them. */
export function runReport({ run, workers }: RunMoment, recorded: Recorded, machine: Machine): RunReport {
  const { train, test, workerCurves, resources, timeline, profile } = recorded;
  const last = test.at(-1);
  const report = {
    format: 'manyhands-run/2',
    id: run.id,
    experiment: run.experiment,
    emulated: emulatedWords(run.experiment),
    phase: run.phase,
    stopReason: run.stopReason,
    steps: run.version,
    examples: run.examples,
    wallSeconds: run.elapsedMs / 1000,
    startedAt: new Date(run.startedAtMs).toISOString(),
    testLoss: last?.loss ?? null,
    testAccuracy: last?.accuracy ?? null,
    best: test.reduce<TestPoint | null>((best, point) => (best && best.loss <= point.loss ? best : point), null),
    workers: workers.map((row) => workerReport(row, workerCurves)),
    server: run.counters,
    machine,
    series: { train, test },
    resources,
    timeline,
    profile,
  } as const;
  return { ...report, verdict: runVerdict(report) };
}

function workerReport(row: CountedWorker, curves: readonly WorkerCurve[]): WorkerReport {
  const { worker, name, isLocal, backend, why, device, phase, trouble, examples, phases } = row;
  const { applied, stale, rejected } = row;
  const bytesUp = bytesOf(row.traffic.received);
  const bytesDown = bytesOf(row.traffic.sent);
  return {
    worker,
    name,
    isLocal,
    backend,
    why,
    device,
    phase,
    trouble,
    steps: applied + stale + rejected,
    applied,
    stale,
    rejected,
    examples,
    phases,
    staleness: { mean: applied === 0 ? 0 : row.stalenessSum / applied, max: row.stalenessMax },
    bytesUp,
    bytesDown,
    bytesToPeers: row.peerBytes,
    transport: row.transport && {
      ...row.transport,
      unaccountedBytes: row.transport.bytesSent + row.transport.bytesReceived - bytesUp.total - bytesDown.total,
    },
    curve: curves.find(({ worker: of }) => of === worker)?.points ?? [],
  };
}

function bytesOf(tally: Tally): Bytes {
  const byKind = Object.fromEntries(kinds.map((kind) => [kind, tally[kind].bytes])) as Record<Kind, number>;
  return { ...byKind, total: tallyBytes(tally) };
}

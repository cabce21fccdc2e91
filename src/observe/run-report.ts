import type { CountedWorker, RunMoment, TestPoint, WorkerCurve } from '../core/server/progress.ts';
import { kinds } from '../core/wire/protocol.ts';
import type { NodeResources } from '../core/wire/resources.ts';
import { type Tally, tallyBytes } from '../core/wire/traffic.ts';
import { emulatedWords } from '../experiment/emulated.ts';
import { bottleneckOf } from './bottleneck/bottleneck.ts';
import type { Bytes, Machine, RunReport, Series, WorkerReport } from './report-schema.ts';
import type { StepProfile, Timeline } from './step-trace.ts';

export type { Bytes, Machine, RunReport, Series, WorkerReport } from './report-schema.ts';

/** All that was recorded while a run went on. */
export interface Recorded extends Series {
  readonly workerCurves: readonly WorkerCurve[];
  readonly resources: readonly NodeResources[];
  readonly timeline: Timeline;
  readonly profile: StepProfile | null;
}

/** Puts together what a run did. */
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
  return { ...report, bottleneck: bottleneckOf(report) };
}

function workerReport(row: CountedWorker, curves: readonly WorkerCurve[]): WorkerReport {
  const {
    traffic,
    peerBytes,
    transport,
    stalenessSum,
    stalenessMax,
    lastLoss: _,
    examplesPerSecond: __,
    ...same
  } = row;
  const { worker, applied, stale, rejected } = row;
  const bytesUp = bytesOf(traffic.received);
  const bytesDown = bytesOf(traffic.sent);
  return {
    ...same,
    steps: applied + stale + rejected,
    staleness: { mean: applied === 0 ? 0 : stalenessSum / applied, max: stalenessMax },
    bytesUp,
    bytesDown,
    bytesToPeers: peerBytes,
    transport: transport && {
      ...transport,
      unaccountedBytes: transport.bytesSent + transport.bytesReceived - bytesUp.total - bytesDown.total,
    },
    curve: curves.find((curve) => curve.worker === worker)?.points ?? [],
  };
}

function bytesOf(tally: Tally): Bytes {
  const byKind = Object.fromEntries(kinds.map((kind) => [kind, tally[kind].bytes])) as Bytes;
  return { ...byKind, total: tallyBytes(tally) };
}

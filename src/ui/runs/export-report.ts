import { useRef } from 'preact/hooks';
import { noCounters } from '../../core/server/progress.ts';
import { emulatedWords } from '../../experiment/emulated.ts';
import type { RunLog } from '../../host/state.ts';
import { type Machine, type RunReport, runReport } from '../../observe/run-report.ts';
import type { Inspected } from '../inspect/inspected.ts';

/** What is known of the machine that this page runs on. */
export const thisMachine = (): Machine => ({
  userAgent: navigator.userAgent,
  cores: navigator.hardwareConcurrency,
});

/** A report takes a look at every step that is kept, for some milliseconds. */
const REPORT_MS = 2000;

/** The report of this page's run, at most two seconds old while it goes on; null of an earlier one. */
export function useReport({ log, now }: Inspected): RunReport | null {
  const kept = useRef<{ key: string; atMs: number; report: RunReport } | null>(null);
  if (now === null) return null;
  const key = `${log.id} ${now.run.phase}`;
  const atMs = performance.now();
  if (kept.current?.key !== key || atMs - kept.current.atMs >= REPORT_MS)
    kept.current = { key, atMs, report: runReport(now, log, thisMachine()) };
  return kept.current.report;
}

/** A report of an earlier run; of those kept long ago, without what its workers counted. */
export function earlierReport(log: RunLog): RunReport {
  if (log.end) return runReport(log.end, log, thisMachine());
  const { id, experiment, summary, test, train, resources, timeline, profile } = log;
  const last = test.at(-1);
  return {
    format: 'manyhands-run/2',
    id,
    experiment,
    emulated: emulatedWords(experiment),
    phase: 'finished',
    stopReason: null,
    steps: summary?.steps ?? last?.step ?? 0,
    examples: summary?.examples ?? last?.examples ?? 0,
    wallSeconds: (summary?.elapsedMs ?? last?.elapsedMs ?? 0) / 1000,
    startedAt: new Date(log.startedAtMs).toISOString(),
    testLoss: last?.loss ?? null,
    testAccuracy: last?.accuracy ?? null,
    best: test.reduce<RunReport['best']>((best, point) => (best && best.loss <= point.loss ? best : point), null),
    workers: [],
    server: {
      ...noCounters,
      updates: summary?.steps ?? 0,
      applied: summary?.applied ?? 0,
      stale: summary?.stale ?? 0,
      rejected: summary?.rejected ?? 0,
    },
    machine: thisMachine(),
    series: { train, test },
    resources,
    timeline,
    profile,
    bottleneck: null,
  };
}

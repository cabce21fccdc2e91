import { useRef } from 'preact/hooks';
import { type Machine, type RunReport, runReport } from '../../observe/run-report.ts';
import type { ShownRun } from '../host/model.ts';

/** What is known of the machine that this page runs on. */
const thisMachine = (): Machine => ({ userAgent: navigator.userAgent, cores: navigator.hardwareConcurrency });

/** The report of a run as it stands; null of one of which only curves are known. */
export const reportOf = ({ log, moment }: ShownRun): RunReport | null =>
  moment && runReport(moment, log, thisMachine());

/** A report reads every step that is kept, for some milliseconds. */
const REPORT_MS = 2000;

/** The report of a run, at most two seconds old while it goes on. */
export function useReport(run: ShownRun): RunReport | null {
  const kept = useRef<{ key: string; atMs: number; report: RunReport | null } | null>(null);
  const key = `${run.log.id} ${run.moment?.run.phase}`;
  const atMs = performance.now();
  const isOld = run.slot === 0 && atMs - (kept.current?.atMs ?? 0) >= REPORT_MS;
  if (kept.current?.key !== key || isOld) kept.current = { key, atMs, report: reportOf(run) };
  return kept.current.report;
}

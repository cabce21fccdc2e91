import type { RunReport } from '../../../observe/run-report.ts';

/** From when to when a run trained, in milliseconds since it began, as resources are timed: workers come and load data before. */
export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Null if nothing was trained. */
export function trainingWindow({ startedAt, series }: Pick<RunReport, 'startedAt' | 'series'>): Window | null {
  const [first, last] = [series.train[0], series.train.at(-1)];
  if (first === undefined || last === undefined) return null;
  const beganMs = Date.parse(startedAt);
  return { fromMs: first.wallMs - first.elapsedMs - beganMs, toMs: last.wallMs - beganMs };
}

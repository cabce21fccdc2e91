import type { RunState } from '../core/progress.ts';
import type { RunLog, WorkerRow } from '../host/state.ts';

/** The run that the inspector is about. */
export interface Inspected {
  readonly log: RunLog;
  /** Of the run of this page; an earlier one has only what was kept of it. */
  readonly now: { readonly run: RunState; readonly workers: readonly WorkerRow[] } | null;
}

/** A worker's name, or its number where the names were not kept. */
export const workerName = ({ now }: Inspected, worker: number): string =>
  now?.workers.find((row) => row.worker === worker)?.name ?? `worker ${worker}`;

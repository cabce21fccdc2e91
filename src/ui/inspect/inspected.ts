import type { RunState } from '../../core/server/progress.ts';
import type { NodeResources } from '../../core/wire/resources.ts';
import type { RunLog, WorkerRow } from '../../host/state.ts';

/** The run that the inspector is about. */
export interface Inspected {
  readonly log: RunLog;
  /** Of the run of this page; an earlier one has only what was kept of it. */
  readonly now: { readonly run: RunState; readonly workers: readonly WorkerRow[] } | null;
}

/** What the node is called that keeps the parameters, beside a worker that may be in the same tab. */
export const SERVER = 'Server';

/** A worker's name, or its number where the names were not kept; that of the host's own tab says that it is a worker. */
export function workerName({ now }: Inspected, worker: number): string {
  const row = now?.workers.find((known) => known.worker === worker);
  if (row === undefined) return `worker ${worker}`;
  return row.isLocal ? `${row.name} (worker ${worker})` : row.name;
}

/** What a node is called in the inspector, whatever files call it. */
export const nodeName = (inspected: Inspected, { node, worker }: Pick<NodeResources, 'node' | 'worker'>): string =>
  worker !== null ? workerName(inspected, worker) : node === 'host' ? SERVER : node;

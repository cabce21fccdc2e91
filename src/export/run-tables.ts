import { noSample, type ResourceSample } from '../core/wire/resources.ts';
import { accounting, accounts } from '../observe/accounting.ts';
import type { RunReport } from '../observe/run-report.ts';
import { type CellValue, csv } from './csv.ts';

const timeOf = (report: RunReport, atMs: number) => new Date(Date.parse(report.startedAt) + atMs).toISOString();

/** One line for each worker: what became of its steps, where its time went in milliseconds, what it moved. */
export function workersCsv({ id, workers }: RunReport): string {
  const phases = ['wait', 'transfer', 'decode', 'compute', 'read', 'encode', 'send'] as const;
  const columns = ['run', 'worker', 'name', 'is_host', 'backend', 'device', 'phase', 'trouble'];
  const counts = ['steps', 'applied', 'stale', 'rejected', 'examples', 'staleness_mean', 'staleness_max'];
  const times = phases.map((phase) => `${phase}_ms`);
  const bytes = ['bytes_up', 'bytes_down', 'bytes_to_workers', 'loss', 'accuracy'];
  const rows = workers.map((of): CellValue[] => {
    const last = of.curve.at(-1);
    const who = [id, of.worker, of.name, of.isLocal, of.backend, of.device, of.phase, of.trouble];
    const did = [of.steps, of.applied, of.stale, of.rejected, of.examples, of.staleness.mean, of.staleness.max];
    const moved = [of.bytesUp.total, of.bytesDown.total, of.bytesToPeers];
    const time = phases.map((phase) => of.phases[`${phase}Ms`]);
    return [...who, ...did, ...time, ...moved, last?.loss ?? null, last?.accuracy ?? null];
  });
  return csv([...columns, ...counts, ...times, ...bytes], rows);
}

/** One line for each point of each worker's own curve. */
export function workerCurvesCsv({ id, workers }: RunReport): string {
  const rows = workers.flatMap(({ worker, name, curve }) =>
    curve.map(({ step, elapsedMs, wallMs, loss, accuracy }) => {
      const time = new Date(wallMs).toISOString();
      return [id, worker, name, step, elapsedMs / 1000, time, loss, accuracy];
    }),
  );
  return csv(['run', 'worker', 'name', 'step', 'seconds', 'time', 'loss', 'accuracy'], rows);
}

/** What can be measured of a node, and the name it has in files: memory_bytes. */
export const resourceKeys = Object.keys(noSample) as (keyof ResourceSample)[];
export const resourceColumn = (key: keyof ResourceSample): string =>
  key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** One line for each sample of each node; seconds since the run began, bytes as totals so far. */
export function resourcesCsv(report: RunReport): string {
  const rows = report.resources.flatMap(({ node, worker, source, samples }) =>
    samples.map((sample): CellValue[] => {
      const values = resourceKeys.map((key) => sample[key]);
      return [report.id, node, worker, source, sample.atMs / 1000, timeOf(report, sample.atMs), ...values];
    }),
  );
  return csv(['run', 'node', 'worker', 'source', 'seconds', 'time', ...resourceKeys.map(resourceColumn)], rows);
}

/**
 * One line for each node, direction and kind, seen from that node; empty where no transport tells. The lines of a node and
 * direction add up to what its wire carried. What workers send straight to each other is apart.
 */
export function bytesCsv(report: RunReport): string {
  const { host, workers, betweenWorkers } = accounting(report);
  const rows = [host, ...workers].flatMap(({ node, worker, sent, received }) =>
    Object.entries({ sent, received }).flatMap(([direction, flow]) =>
      accounts.map((account): CellValue[] => [report.id, node, worker, direction, account, flow[account]]),
    ),
  );
  for (const { node, worker, bytes } of betweenWorkers) {
    rows.push([report.id, node, worker, 'sent to workers', 'gradients', bytes]);
  }
  return csv(['run', 'node', 'worker', 'direction', 'kind', 'bytes'], rows);
}

/** One line for each operator of the profiled step, in the order they ran; null if none was profiled. */
export function operatorsCsv({ id, profile }: Pick<RunReport, 'id' | 'profile'>): string | null {
  if (profile === null) return null;
  const rows = profile.operators.map(({ name, outputShape, outputBytes, ms }, index): CellValue[] => {
    const step = [profile.backend, profile.batch, profile.stepMs];
    return [id, ...step, index + 1, name, outputShape.join('×'), outputBytes, ms];
  });
  return csv(['run', 'backend', 'batch', 'step_ms', 'order', 'operator', 'output', 'output_bytes', 'ms'], rows);
}

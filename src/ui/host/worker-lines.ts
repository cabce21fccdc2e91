import type { WorkerCurve } from '../../core/server/progress.ts';
import type { RunLog } from '../../host/state.ts';
import { type Line, type Metric, pair, type XAxis, xOf } from '../charts/series.ts';

/** One worker's own line: of its batches, smoothed if asked. */
export interface WorkerLine {
  readonly worker: number;
  readonly line: Line;
}

const cache = new WeakMap<WorkerCurve, Map<Metric, { key: string; line: Line }>>();

function lineOf(curve: WorkerCurve, metric: Metric, axis: XAxis, smoothing: number): Line {
  const key = `${axis} ${smoothing}`;
  const known = cache.get(curve)?.get(metric);
  if (known?.key === key) return known.line;
  const points = curve.points.flatMap((point) => {
    const value = point[metric];
    return value === null ? [] : [{ x: xOf(point, axis), value }];
  });
  const { raw, smoothed } = pair(
    points.map(({ x }) => x),
    points.map(({ value }) => value),
    smoothing,
  );
  const line = smoothed ?? raw;
  const entry = cache.get(curve) ?? new Map();
  cache.set(curve, entry.set(metric, { key, line }));
  return line;
}

/** The line of each worker that has one; computed again only for curves that have grown. */
export const workerLines = (log: RunLog, metric: Metric, axis: XAxis, smoothing: number): readonly WorkerLine[] =>
  log.workerCurves
    .map((curve) => ({ worker: curve.worker, line: lineOf(curve, metric, axis, smoothing) }))
    .filter(({ line }) => line.x.length > 0)
    .sort((a, b) => a.worker - b.worker);

import type { TrainPoint, WorkerCurve } from '../../core/server/progress.ts';
import type { RunLog } from '../../host/state.ts';
import { type Points, thin } from '../../observe/points.ts';
import { smooth } from './smoothing.ts';

/** What the charts are drawn against: updates, seconds of running, or the time of day. */
export type XAxis = 'step' | 'relative' | 'wall';
export type Metric = 'loss' | 'accuracy';

/** As measured, and smoothed: null where smoothing would not show. */
export interface LinePair {
  readonly raw: Points;
  readonly smoothed: Points | null;
}

/** One run's lines in one chart. */
export interface RunLines {
  readonly train: LinePair | null;
  readonly test: LinePair;
}

/** One worker's own line: of its batches, smoothed if asked. */
export interface WorkerLine {
  readonly worker: number;
  readonly line: Points;
}

/** A point's place on the axis: a step, or seconds as uPlot wants them. */
export function xOf({ step, elapsedMs, wallMs }: TrainPoint, axis: XAxis): number {
  return axis === 'step' ? step : (axis === 'relative' ? elapsedMs : wallMs) / 1000;
}

/** A line as it is drawn: thinned, as measured and smoothed by this weight. Points without a value are left out. */
function linePair<Point extends TrainPoint>(
  points: readonly Point[],
  read: (point: Point) => number | null,
  axis: XAxis,
  weight: number,
): LinePair {
  const known = points.filter((point) => read(point) !== null);
  const x = known.map((point) => xOf(point, axis));
  const y = known.map((point) => read(point) ?? 0);
  return { raw: thin({ x, y }), smoothed: weight < 0.01 ? null : thin({ x, y: smooth(y, weight) }) };
}

/** Keeps what was made of an object for each metric, until the key is another. */
function remembered<Of extends object, Made>() {
  const cache = new WeakMap<Of, Map<Metric, { readonly key: string; readonly made: Made }>>();
  return (of: Of, metric: Metric, key: string, make: () => Made): Made => {
    const all = cache.get(of) ?? new Map();
    const known = all.get(metric);
    if (known?.key === key) return known.made;
    const made = make();
    cache.set(of, all.set(metric, { key, made }));
    return made;
  };
}
const runLines = remembered<RunLog, RunLines>();
const curveLines = remembered<WorkerCurve, Points>();

/** A run's lines for a chart; computed again only when the run has grown or the settings have changed. */
export function linesOf(log: RunLog, metric: Metric, axis: XAxis, smoothing: number): RunLines {
  const { train, test, experiment } = log;
  return runLines(log, metric, `${axis} ${smoothing} ${train.length} ${test.length}`, () => ({
    train: metric === 'accuracy' ? null : linePair(train, (point) => point.loss, axis, smoothing),
    // Evaluations are far apart: the same memory in steps is a smaller weight from one to the next.
    test: linePair(test, (point) => point[metric], axis, smoothing ** experiment.evalEvery),
  }));
}

/** The line of each worker that has one; computed again only for curves that have grown. */
export const workerLines = (log: RunLog, metric: Metric, axis: XAxis, smoothing: number): readonly WorkerLine[] =>
  log.workerCurves
    .map((curve) => ({
      worker: curve.worker,
      line: curveLines(curve, metric, `${axis} ${smoothing}`, () => {
        const { raw, smoothed } = linePair(curve.points, (point) => point[metric], axis, smoothing);
        return smoothed ?? raw;
      }),
    }))
    .filter(({ line }) => line.x.length > 0)
    .sort((a, b) => a.worker - b.worker);

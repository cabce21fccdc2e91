import type { TrainPoint } from '../../core/server/progress.ts';
import type { RunLog } from '../../host/state.ts';
import { smooth } from './smoothing.ts';

export const xAxes = ['step', 'relative', 'wall'] as const;
/** What the charts are drawn against: updates, seconds of running, or the time of day. */
export type XAxis = (typeof xAxes)[number];
export type Metric = 'loss' | 'accuracy';

/** Points of one line, x ascending. */
export interface Line {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

/** As measured, and smoothed: null where smoothing would not show. */
export interface LinePair {
  readonly raw: Line;
  readonly smoothed: Line | null;
}

/** One run's lines in one chart. */
export interface RunLines {
  readonly train: LinePair | null;
  readonly test: LinePair;
}

/** A chart is some 400 points wide: more than this many extremes a line cannot show. */
const MAX_BUCKETS = 400;

/** A point's place on the axis: a step, or seconds as uPlot wants them. */
export function xOf(point: TrainPoint, axis: XAxis): number {
  switch (axis) {
    case 'step':
      return point.step;
    case 'relative':
      return point.elapsedMs / 1000;
    case 'wall':
      return point.wallMs / 1000;
    default:
      return axis satisfies never;
  }
}

/** At most two points per bucket, its lowest and highest, so that no spike is lost; ends are kept. */
export function thin(line: Line, maxBuckets = MAX_BUCKETS): Line {
  const total = line.x.length;
  if (total <= maxBuckets * 2) return line;
  const keep = new Set([0, total - 1]);
  for (let bucket = 0; bucket < maxBuckets; bucket++) {
    const from = Math.floor((bucket * total) / maxBuckets);
    const to = Math.floor(((bucket + 1) * total) / maxBuckets);
    let low = from;
    let high = from;
    for (let at = from; at < to; at++) {
      const y = line.y[at] ?? 0;
      if (y < (line.y[low] ?? 0)) low = at;
      if (y > (line.y[high] ?? 0)) high = at;
    }
    keep.add(low).add(high);
  }
  const order = [...keep].sort((a, b) => a - b);
  return { x: order.map((at) => line.x[at] ?? 0), y: order.map((at) => line.y[at] ?? 0) };
}

/** A line as it is drawn: thinned, as measured and smoothed by this weight. */
export function pair(x: readonly number[], y: readonly number[], weight: number): LinePair {
  return { raw: thin({ x, y }), smoothed: weight < 0.01 ? null : thin({ x, y: smooth(y, weight) }) };
}

const cache = new WeakMap<RunLog, Map<Metric, { key: string; lines: RunLines }>>();

/** A run's lines for a chart; computed again only when the run has grown or the settings have changed. */
export function linesOf(log: RunLog, metric: Metric, axis: XAxis, smoothing: number): RunLines {
  const key = `${axis} ${smoothing} ${log.train.length} ${log.test.length}`;
  const known = cache.get(log)?.get(metric);
  if (known?.key === key) return known.lines;
  const testX = log.test.map((point) => xOf(point, axis));
  const lines: RunLines = {
    train:
      metric === 'accuracy'
        ? null
        : pair(
            log.train.map((point) => xOf(point, axis)),
            log.train.map((point) => point.loss),
            smoothing,
          ),
    test: pair(
      testX,
      log.test.map((point) => point[metric]),
      // Tests are far apart: the same memory in steps is a smaller weight from one test to the next.
      smoothing ** log.experiment.evalEvery,
    ),
  };
  const entry = cache.get(log) ?? new Map();
  cache.set(log, entry.set(metric, { key, lines }));
  return lines;
}

/** The index of the point nearest to x, or -1 when there is none. */
export function nearest(line: Line, x: number): number {
  let low = 0;
  let high = line.x.length - 1;
  if (high < 0) return -1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((line.x[middle] ?? 0) < x) low = middle + 1;
    else high = middle;
  }
  const before = line.x[low - 1];
  return before !== undefined && x - before < (line.x[low] ?? 0) - x ? low - 1 : low;
}

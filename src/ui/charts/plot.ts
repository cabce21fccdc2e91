import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { clock, count, loss, percent, timeOfDay } from '../../observe/format.ts';
import { workerLook } from '../../observe/look.ts';
import type { Points } from '../../observe/points.ts';
import { runColour, runDashes } from '../parts/run-swatch.tsx';
import type { Metric, RunLines, WorkerLine, XAxis } from './series.ts';

/** One run to draw. */
export interface PlottedRun {
  readonly slot: number;
  /** Drawn with its unsmoothed training loss; with several runs that would be a thicket. */
  readonly hasDetail: boolean;
  readonly lines: RunLines;
}

/** The measured line behind a smoothed one; its noise does not decide what the chart spans. */
const BACKDROP_ALPHA = 0.12;
/** Few points are marked one by one; many would hide the line. */
const MAX_MARKED_POINTS = 40;

interface Stroke {
  readonly line: Points;
  readonly width: number;
  readonly alpha: number;
  readonly isTest: boolean;
}

/** What is drawn for one run, faintest first. */
function strokesOf({ lines, hasDetail }: PlottedRun): Stroke[] {
  const { train, test } = lines;
  const strokes: Stroke[] = [];
  if (train !== null) {
    if (hasDetail || train.smoothed === null)
      strokes.push({ line: train.raw, width: 1, alpha: train.smoothed === null ? 0.4 : BACKDROP_ALPHA, isTest: false });
    if (train.smoothed !== null) strokes.push({ line: train.smoothed, width: 1, alpha: 0.65, isTest: false });
  }
  if (test.smoothed !== null) strokes.push({ line: test.raw, width: 1, alpha: 0.35, isTest: true });
  strokes.push({ line: test.smoothed ?? test.raw, width: 2, alpha: 1, isTest: true });
  return strokes;
}

/** All lines over one x, as uPlot wants them. */
export const joined = (lines: readonly { x: readonly number[]; y: readonly (number | null)[] }[]): uPlot.AlignedData =>
  lines.length === 0 ? [[]] : uPlot.join(lines.map(({ x, y }) => [[...x], [...y]]));

/** The lines of runs and workers; their order is that of the series `createPlot` made. */
export function plotData(runs: readonly PlottedRun[], workers: readonly WorkerLine[] = []): uPlot.AlignedData {
  return joined([...workers, ...runs.flatMap(strokesOf)].map(({ line }) => line));
}

interface PlotSettings {
  readonly metric: Metric;
  readonly axis: XAxis;
  readonly cutsOutliers: boolean;
  readonly runs: readonly PlottedRun[];
  /** Drawn behind the runs, each in its worker's colour. */
  readonly workers?: readonly WorkerLine[];
  onHover(x: number | null): void;
}

const formatX: Record<XAxis, (x: number, step: number) => string> = {
  step: count,
  // A clock has no words for parts of a second.
  relative: (seconds, step) => (step < 1 ? `${Number(seconds.toFixed(3))} s` : clock(seconds * 1000)),
  wall: (seconds, step) => timeOfDay(seconds * 1000, step < 60),
};

/** What a plot consists of; both axes are drawn quietly. */
interface PlotParts {
  /** Plots with the same one share the pointer. */
  readonly syncKey: string;
  /** Whether a stretch can be picked with the pointer. */
  readonly canZoom: boolean;
  readonly padding: uPlot.Padding;
  readonly scales: uPlot.Scales;
  readonly x: uPlot.Axis;
  readonly y: uPlot.Axis;
  readonly series: readonly uPlot.Series[];
  readonly data: uPlot.AlignedData;
  onHover(x: number | null): void;
}

/** A plot in `root` with the theme of the moment: colours are looked up in CSS once. */
export function drawPlot(root: HTMLElement, partsOf: (colour: (name: string) => string) => PlotParts): uPlot {
  const css = getComputedStyle(root);
  const colour = (name: string) => css.getPropertyValue(name).trim();
  const { syncKey, canZoom, padding, scales, x, y, series, data, onHover } = partsOf(colour);
  const ink: uPlot.Axis = {
    stroke: colour('--muted'),
    font: `11px ${css.fontFamily}`,
    grid: { stroke: colour('--hairline'), width: 1 },
    ticks: { show: false },
  };
  const setCursor = (plot: uPlot) => {
    const left = plot.cursor.left ?? -1;
    onHover(left < 0 ? null : plot.posToVal(left, 'x'));
  };
  return new uPlot(
    {
      width: root.clientWidth,
      height: root.clientHeight,
      padding,
      legend: { show: false },
      cursor: {
        sync: { key: syncKey, setSeries: false },
        points: { show: false },
        drag: { x: canZoom, y: false },
        y: false,
      },
      scales,
      axes: [
        { ...ink, ...x },
        { ...ink, ...y },
      ],
      series: [{}, ...series],
      hooks: { setCursor: [setCursor] },
    },
    data,
    root,
  );
}

/** How a worker's line is drawn. */
export function workerSeries(worker: number, colourOf: (name: string) => string): uPlot.Series {
  const { colour, isDashed } = workerLook(worker);
  const dash = isDashed ? [4, 3] : [];
  return { stroke: colourOf(`--${colour}`), width: 1, spanGaps: true, dash, points: { show: false } };
}

/** The curves of runs as a plot. */
export const createPlot = (root: HTMLElement, settings: PlotSettings): uPlot =>
  drawPlot(root, (colour) => {
    const { metric, axis, cutsOutliers, runs, workers = [], onHover } = settings;
    const series = runs.flatMap((run) =>
      strokesOf(run).map(({ width, alpha, isTest }): uPlot.Series => {
        const stroke = colour(`--run-${runColour(run.slot)}`);
        const dash = isTest ? (runDashes[runColour(run.slot)] ?? []) : [];
        const isMarked = (plot: uPlot, at: number) =>
          alpha === 1 && Array.from(plot.data[at] ?? []).filter(isNumber).length <= MAX_MARKED_POINTS;
        return {
          stroke,
          width,
          alpha,
          dash,
          spanGaps: true,
          points: { show: isMarked, size: 5, fill: stroke, width: 0 },
        };
      }),
    );
    const yWords = (y: number, step: number) => (metric === 'accuracy' ? percent(y, percentDigits(step)) : axisLoss(y));
    return {
      syncKey: 'curves',
      canZoom: true,
      padding: [8, 24, 0, 0],
      scales: { x: { time: axis === 'wall' }, y: { range: (plot) => yRange(plot, metric, cutsOutliers) } },
      x: { size: 28, values: (_, at, __, ___, step) => at.map((x) => formatX[axis](x, step)) },
      y: {
        size: metric === 'accuracy' ? 56 : 48,
        values: (_, at, __, ___, step) => at.map((y) => yWords(y, step)),
      },
      series: [...workers.map(({ worker }) => workerSeries(worker, colour)), ...series],
      data: plotData(runs, workers),
      onHover,
    };
  });

const isNumber = (y: unknown) => typeof y === 'number';

/** As many decimals as marks that far apart need. */
const percentDigits = (step: number): number => [0, 1].find((digits) => isWhole(step * 100 * 10 ** digits)) ?? 2;
const isWhole = (value: number): boolean => Math.abs(value - Math.round(value)) < 1e-6;

/** Axis marks are round numbers and need no more digits than they have. */
const axisLoss = (y: number): string => (Math.abs(y) < 0.001 && y !== 0 ? loss(y) : String(Number(y.toFixed(4))));

/** The first steps of a run would flatten all that follows: that share of each line may leave the chart. */
const OUTLIERS = 0.05;
/** And of each end of a noisy line behind a smoothed one. */
const NOISE = 0.15;
const MIN_POINTS_TO_CUT = 10;

/** From a little below the lowest value in view to a little above the highest, between 0 and what the metric allows. */
function yRange(plot: uPlot, metric: Metric, cutsOutliers: boolean): [number, number] {
  const [, ...lines] = plot.data;
  // The x scale itself is only set after this; the indices in view are known already.
  const [from = 0, to = 0] = plot.series[0]?.idxs ?? [];
  let low = Number.POSITIVE_INFINITY;
  let high = 0;
  for (const [at, line] of lines.entries()) {
    const seen = Array.from(line.slice(from ?? 0, (to ?? 0) + 1)).filter(isNumber) as number[];
    const sorted = Float64Array.from(seen.filter(Number.isFinite)).sort();
    const share = !cutsOutliers || sorted.length < MIN_POINTS_TO_CUT ? 0 : OUTLIERS;
    const noise = share > 0 && plot.series[at + 1]?.alpha === BACKDROP_ALPHA ? NOISE : 0;
    const below = Math.ceil(sorted.length * Math.max(noise, metric === 'accuracy' ? share : 0));
    const above = Math.ceil(sorted.length * Math.max(noise, metric === 'loss' ? share : 0));
    low = Math.min(low, sorted[below] ?? low);
    high = Math.max(high, sorted[sorted.length - 1 - above] ?? high);
  }
  if (low > high) return [0, 1];
  const room = high > low ? (high - low) * 0.06 : Math.max(high * 0.05, 0.01);
  return [Math.max(0, low - room), Math.min(metric === 'accuracy' ? 1 : Number.POSITIVE_INFINITY, high + room)];
}

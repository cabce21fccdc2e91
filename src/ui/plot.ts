import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { clock, count, loss, percent } from './format.ts';
import { runColour, runDashes } from './run-swatch.tsx';
import type { Line, Metric, RunLines, XAxis } from './series.ts';

/** One run to draw. */
export interface PlottedRun {
  readonly slot: number;
  /** Drawn with its unsmoothed training loss; with several runs that would be a thicket. */
  readonly hasDetail: boolean;
  readonly lines: RunLines;
}

/** Few points are marked one by one; many would hide the line. */
const MAX_MARKED_POINTS = 40;

interface Stroke {
  readonly line: Line;
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
      strokes.push({ line: train.raw, width: 1, alpha: train.smoothed === null ? 0.4 : 0.2, isTest: false });
    if (train.smoothed !== null) strokes.push({ line: train.smoothed, width: 1, alpha: 0.65, isTest: false });
  }
  if (test.smoothed !== null) strokes.push({ line: test.raw, width: 1, alpha: 0.35, isTest: true });
  strokes.push({ line: test.smoothed ?? test.raw, width: 2, alpha: 1, isTest: true });
  return strokes;
}

/** All lines over one x, as uPlot wants them. Its order is that of the series `createPlot` made. */
export function plotData(runs: readonly PlottedRun[]): uPlot.AlignedData {
  const tables = runs.flatMap(strokesOf).map(({ line }) => [line.x, line.y]);
  // uPlot's types want mutable arrays; it copies before it joins.
  return tables.length === 0 ? [[]] : uPlot.join(tables as uPlot.AlignedData[]);
}

interface PlotSettings {
  readonly metric: Metric;
  readonly axis: XAxis;
  readonly runs: readonly PlottedRun[];
  onHover(x: number | null): void;
}

const formatX: Record<Exclude<XAxis, 'wall'>, (x: number) => string> = {
  step: count,
  relative: (seconds) => clock(seconds * 1000),
};

/** A chart in `root` with the theme of the moment: colours are read from CSS once. */
export function createPlot(root: HTMLElement, settings: PlotSettings): uPlot {
  const { metric, axis, runs, onHover } = settings;
  const css = getComputedStyle(root);
  const colour = (name: string) => css.getPropertyValue(name).trim();
  const ink = {
    stroke: colour('--muted'),
    font: `11px ${css.fontFamily}`,
    grid: { stroke: colour('--hairline'), width: 1 },
    ticks: { show: false },
  };
  const series = runs.flatMap((run) =>
    strokesOf(run).map(({ width, alpha, isTest }): uPlot.Series => {
      const stroke = colour(`--run-${runColour(run.slot)}`);
      const isMarked = (plot: uPlot, at: number) =>
        alpha === 1 && Array.from(plot.data[at] ?? []).filter((y) => typeof y === 'number').length <= MAX_MARKED_POINTS;
      return {
        stroke,
        width,
        alpha,
        spanGaps: true,
        ...(isTest ? { dash: runDashes[runColour(run.slot)] ?? [] } : {}),
        points: { show: isMarked, size: 5, fill: stroke, width: 0 },
      };
    }),
  );
  return new uPlot(
    {
      width: root.clientWidth,
      height: root.clientHeight,
      padding: [8, 24, 0, 0],
      legend: { show: false },
      cursor: {
        sync: { key: 'curves', setSeries: false },
        points: { show: false },
        drag: { x: true, y: false },
        y: false,
      },
      scales: {
        x: { time: axis === 'wall' },
        y: metric === 'accuracy' ? { range: (_, low, high) => accuracyRange(low, high) } : {},
      },
      axes: [
        { ...ink, size: 28, ...(axis === 'wall' ? {} : { values: (_, at) => at.map(formatX[axis]) }) },
        {
          ...ink,
          size: 44,
          values: (_, at) => at.map((y) => (metric === 'accuracy' ? percent(y, 0) : axisLoss(y))),
        },
      ],
      series: [{}, ...series],
      hooks: {
        setCursor: [
          (plot) => {
            const left = plot.cursor.left ?? -1;
            onHover(left < 0 ? null : plot.posToVal(left, 'x'));
          },
        ],
      },
    },
    plotData(runs),
    root,
  );
}

/** Axis marks are round numbers and need no more digits than they have. */
const axisLoss = (y: number): string => (Math.abs(y) < 0.001 && y !== 0 ? loss(y) : String(Number(y.toFixed(4))));

/** From a little below the lowest to a little above the highest, but not above 100 %. */
function accuracyRange(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1];
  const room = Math.max(0.01, (high - low) * 0.06);
  return [Math.max(0, low - room), Math.min(1, high + room)];
}

import uPlot from 'uplot';
import type { NodeResources } from '../../../core/wire/resources.ts';
import { bytes, clock, percent } from '../../../observe/format.ts';
import type { ResourceMetric } from '../../../observe/resource-metrics.ts';
import { drawPlot, workerSeries } from '../../charts/plot.ts';
import type { ResourceLine } from './resources-series.ts';

/** A value of a metric with its unit. */
export function resourceWords(unit: ResourceMetric['unit'], value: number): string {
  return unit === 'share' ? percent(value, 0) : `${bytes(value)}${unit === 'bytes/s' ? '/s' : ''}`;
}

/** Workers in their colour, the host in ink, all else grey; what the system tells is dashed. */
function nodeSeries({ node, worker, source }: NodeResources, colour: (name: string) => string): uPlot.Series {
  const own = workerSeries(worker ?? 0, colour);
  const stroke = worker !== null ? own.stroke : colour(node === 'host' ? '--ink' : '--muted');
  const isDashed = source !== 'tab' || (worker !== null && own.dash?.length);
  return { ...own, stroke, width: 1.5, dash: isDashed ? [4, 3] : [] };
}

/** All lines over one x, as uPlot wants them. */
export const resourceData = (lines: readonly ResourceLine[]): uPlot.AlignedData =>
  lines.length === 0 ? [[]] : uPlot.join(lines.map(({ x, y }) => [[...x], [...y]]));

/** Seconds between marks that a clock has round words for. */
const stepsOfTime = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200];

interface ResourcePlot {
  readonly unit: ResourceMetric['unit'];
  readonly lines: readonly ResourceLine[];
  /** All charts have the same stretch of time, whatever they know of it. */
  range(): [number, number];
  onHover(x: number | null): void;
}

/** A small chart in `root`; the pointer is shared by all of them. */
export const createResourcePlot = (root: HTMLElement, { unit, lines, range, onHover }: ResourcePlot): uPlot =>
  drawPlot(root, (colour) => ({
    syncKey: 'resources',
    canZoom: false,
    // The last mark of the time stands half beyond the end.
    padding: [8, 20, 0, 0],
    scales: {
      x: { time: false, range: () => range() },
      y: { range: (_, __, highest) => [0, highest > 0 ? highest * 1.1 : 1] },
    },
    x: { size: 24, space: 64, incrs: stepsOfTime, values: (_, at) => at.map((x) => clock(x * 1000)) },
    y: { size: 60, space: 28, values: (_, at) => at.map((y) => resourceWords(unit, y)) },
    series: lines.map(({ node }) => nodeSeries(node, colour)),
    data: resourceData(lines),
    onHover,
  }));

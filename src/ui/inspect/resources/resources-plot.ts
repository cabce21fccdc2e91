import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { NodeResources } from '../../../core/wire/resources.ts';
import { bytes, clock, percent } from '../../../observe/format.ts';
import { axisInk } from '../../charts/plot.ts';
import type { ResourceLine, ResourceMetric } from './resources-series.ts';

/** A value of a metric with its unit. */
export function resourceWords(unit: ResourceMetric['unit'], value: number): string {
  switch (unit) {
    case 'share':
      return percent(value, 0);
    case 'bytes':
      return bytes(value);
    case 'bytes/s':
      return `${bytes(value)}/s`;
    default:
      return unit satisfies never;
  }
}

/** How a node is drawn: workers in their colour, the host in ink, all else grey; what the system tells is dashed. */
export const nodeColour = ({ node, worker }: NodeResources): string =>
  worker !== null ? `--worker-${worker % 10}` : node === 'host' ? '--ink' : '--muted';
const isDashed = ({ source, worker }: NodeResources): boolean =>
  source !== 'tab' || (worker !== null && Math.floor(worker / 10) % 2 === 1);

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

/** A small chart in `root` with the theme of the moment; the pointer is shared by all of them. */
export function createResourcePlot(root: HTMLElement, { unit, lines, range, onHover }: ResourcePlot): uPlot {
  const css = getComputedStyle(root);
  const ink = axisInk(css);
  return new uPlot(
    {
      width: root.clientWidth,
      height: root.clientHeight,
      // The last mark of the time stands half beyond the end.
      padding: [8, 20, 0, 0],
      legend: { show: false },
      cursor: {
        sync: { key: 'resources', setSeries: false },
        points: { show: false },
        drag: { x: false, y: false },
        y: false,
      },
      scales: {
        x: { time: false, range: () => range() },
        y: { range: (_, __, most) => [0, most > 0 ? most * 1.1 : 1] },
      },
      axes: [
        { ...ink, size: 24, space: 64, incrs: stepsOfTime, values: (_, at) => at.map((x) => clock(x * 1000)) },
        { ...ink, size: 60, space: 28, values: (_, at) => at.map((y) => resourceWords(unit, y)) },
      ],
      series: [
        {},
        ...lines.map(({ node }): uPlot.Series => {
          const stroke = css.getPropertyValue(nodeColour(node)).trim();
          return { stroke, width: 1.5, spanGaps: true, dash: isDashed(node) ? [4, 3] : [], points: { show: false } };
        }),
      ],
      hooks: {
        setCursor: [
          (plot) => {
            const left = plot.cursor.left ?? -1;
            onHover(left < 0 ? null : plot.posToVal(left, 'x'));
          },
        ],
      },
    },
    resourceData(lines),
    root,
  );
}

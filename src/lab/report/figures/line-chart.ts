import { thin } from '../../../observe/points.ts';
import { type Markup, markup } from '../markup.ts';
import { type ChartLine, extremes, type LineChart, type Size } from './chart.ts';
import { at, Frame } from './frame.ts';
import { linearScale, logScale, type Scale } from './scale.ts';

/** The inside of an svg element: lines over a grid. */
export function lineChart(chart: LineChart, size: Size): Markup {
  const frame = new Frame(size);
  const lines = chart.lines.map(finite).filter(({ x }) => x.length > 0);
  if (lines.length === 0) return markup`<text x="${frame.left}" y="${size.height / 2}">nothing was measured</text>`;
  const xs = lines.flatMap(({ x }) => [x[0] ?? 0, x.at(-1) ?? 0]);
  const xScale = linearScale(Math.min(0, ...xs), Math.max(...xs), frame.isWide ? 6 : 4);
  const yScale = uprightScale(chart, lines, frame.isWide ? 5 : 3);
  const paths = lines.map((line) => {
    const { colour, isDashed } = line.look;
    const kind = line.x.length === 1 ? ' point' : isDashed ? ' dashed' : '';
    return markup`<path class="line s-${colour}${kind}" d="${pathOf(line, frame, xScale, yScale)}"/>`;
  });
  return markup`${frame.upright(yScale, chart.y)}${frame.level(xScale, chart.x)}${targetOf(chart, frame, yScale)}${paths}`;
}

const finite = (line: ChartLine): ChartLine => {
  const isKept = line.x.map((x, index) => Number.isFinite(x) && Number.isFinite(line.y[index] ?? Number.NaN));
  if (isKept.every(Boolean)) return line;
  const keep = (values: readonly number[]) => values.filter((_, index) => isKept[index]);
  return { ...line, x: keep(line.x), y: keep(line.y) };
};

function uprightScale({ scale, extent, target }: LineChart, lines: readonly ChartLine[], about: number): Scale {
  const { low, high } = extent ?? extremes(lines) ?? { low: 0, high: 1 };
  // Below the target there is room for its name.
  const bottom = Math.min(low, (target?.value ?? Number.POSITIVE_INFINITY) * 0.8);
  const top = Math.max(high, target?.value ?? high);
  if (scale === 'log' && bottom > 0) return logScale(bottom, top);
  return linearScale(scale === 'data' ? bottom : Math.min(0, bottom), top, about);
}

function targetOf({ target }: LineChart, frame: Frame, scale: Scale): Markup | null {
  if (target === undefined) return null;
  const y = frame.y(scale, target.value);
  const textY = at(y + (frame.isWide ? 15 : 11));
  return markup`${frame.across('target', y)}<text x="${at(frame.left + 4)}" y="${textY}">${target.name}</text>`;
}

function pathOf(line: ChartLine, frame: Frame, xScale: Scale, yScale: Scale): string {
  const { x, y } = thin(line, Math.round((frame.right - frame.left) / 1.5));
  const places = x.map((value, index) => `${frame.x(xScale, value)} ${frame.y(yScale, y[index] ?? 0)}`);
  // A line of one point would not be seen; with round ends, one of no length is a dot.
  return `M${places.length === 1 ? `${places[0]}h.01` : places.join('L')}`;
}

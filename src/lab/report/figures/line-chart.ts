import { type Markup, markup } from '../markup.ts';
import type { Line, LineChart, Size } from './chart.ts';
import { at, type Frame, frameOf, level, upright } from './frame.ts';
import { linearScale, logScale, type Scale } from './scale.ts';
import { thinned } from './thinned.ts';

/** The inside of an svg element: lines over a grid. */
export function lineChart(chart: LineChart, size: Size): Markup {
  const frame = frameOf(size);
  const lines = chart.lines.map(finite).filter(({ x }) => x.length > 0);
  const isWide = size.width > 400;
  if (lines.length === 0) return markup`<text x="${frame.left}" y="${size.height / 2}">nothing was measured</text>`;
  const xs = lines.flatMap(({ x }) => [x[0] ?? 0, x.at(-1) ?? 0]);
  const xScale = linearScale(Math.min(0, ...xs), Math.max(...xs), isWide ? 6 : 4);
  const yScale = uprightScale(chart, lines, isWide ? 5 : 3);
  return markup`${upright(frame, yScale, chart.y)}${level(frame, xScale, chart.x)}${markOf(chart, frame, yScale)}${lines.map(
    (line) => {
      const { colour, isDashed } = line.look;
      const path = pathOf(line, frame, xScale, yScale);
      return markup`<path class="line s-${colour}${line.x.length === 1 ? ' point' : isDashed ? ' dashed' : ''}" d="${path}"/>`;
    },
  )}`;
}

const finite = (line: Line): Line => {
  const isKept = line.x.map((x, index) => Number.isFinite(x) && Number.isFinite(line.y[index] ?? Number.NaN));
  if (isKept.every(Boolean)) return line;
  const keep = (values: readonly number[]) => values.filter((_, index) => isKept[index]);
  return { ...line, x: keep(line.x), y: keep(line.y) };
};

/** The lowest and highest of some lines; null if they have no point. */
export function extremes(lines: readonly { readonly y: readonly number[] }[]): { low: number; high: number } | null {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { y } of lines) {
    for (const value of y) {
      if (!Number.isFinite(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low > high ? null : { low, high };
}

function uprightScale(chart: LineChart, lines: readonly Line[], about: number): Scale {
  const { low, high } = extremes(lines) ?? { low: 0, high: 1 };
  // Below the mark there is room for its name.
  const mark = chart.mark === null ? low : chart.mark.value * 0.8;
  const [bottom, top] = [Math.min(chart.yMin ?? low, mark), Math.max(chart.yMax ?? high, chart.mark?.value ?? high)];
  if (chart.scale === 'log' && bottom > 0) return logScale(bottom, top);
  return linearScale(chart.scale === 'data' ? bottom : Math.min(0, bottom), top, about);
}

function markOf({ mark }: LineChart, frame: Frame, scale: Scale): Markup | null {
  if (mark === null) return null;
  const y = at(frame.bottom - scale.place(mark.value) * (frame.bottom - frame.top));
  return markup`<path class="mark" d="M${at(frame.left)} ${y}H${at(frame.right)}"/>\
<text x="${at(frame.left + 4)}" y="${at(y + (frame.right > 400 ? 15 : 11))}">${mark.name}</text>`;
}

function pathOf(line: Line, frame: Frame, xScale: Scale, yScale: Scale): string {
  const { x, y } = thinned(line, Math.round((frame.right - frame.left) / 1.5));
  const places = x.map((value, index) => {
    const across = at(frame.left + xScale.place(value) * (frame.right - frame.left));
    return `${across} ${at(frame.bottom - yScale.place(y[index] ?? 0) * (frame.bottom - frame.top))}`;
  });
  // A line of one point would not be seen; with round ends, one of no length is a dot.
  return `M${places.length === 1 ? `${places[0]}h.01` : places.join('L')}`;
}

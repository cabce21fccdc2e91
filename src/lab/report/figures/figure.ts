import type { Look } from '../../../observe/look.ts';
import type { Figure, Panel, Table } from '../block.ts';
import { type NumberFormat, seconds, titled, withUnit } from '../number-words.ts';
import { named, number, tableOf, words } from '../sections/columns.ts';
import type { Setting } from '../sections/subject.ts';
import { type Axis, type Chart, type ChartLine, extremes, type LineChart } from './chart.ts';

export const time: Axis = { title: 'time', format: seconds };

/**
 * A figure with a chart over time for every setting, of its first run, all to one scale; none where nothing was measured, or
 * nothing but zeros.
 */
export function settingFigures(
  id: string,
  caption: string,
  settings: readonly Setting[],
  chart: Pick<LineChart, 'y' | 'scale'>,
  linesOf: (setting: Setting) => readonly ChartLine[],
): Figure[] {
  const all = settings.map((setting) => ({ title: setting.name, lines: linesOf(setting) }));
  const some = all.filter(({ lines }) => lines.length > 0);
  const extent = extremes(some.flatMap(({ lines }) => lines));
  if (extent === null || extent.high === 0) return [];
  const panels = some.map(({ title, lines }): Panel => {
    return { title, chart: { kind: 'lines', x: time, ...chart, extent, lines } };
  });
  return [{ kind: 'figure', id, caption: `${caption}, first run of each setting`, size: 'small', panels }];
}

const partsOf = (chart: Chart): readonly { readonly name: string; readonly look: Look }[] =>
  chart.kind === 'lines' ? chart.lines : chart.bars;

/** Every name in a figure with how it is drawn, once. */
export function legendOf({ panels }: Figure): readonly { readonly name: string; readonly look: Look }[] {
  const seen = new Map<string, Look>();
  for (const { name, look } of panels.flatMap(({ chart }) => partsOf(chart))) if (!seen.has(name)) seen.set(name, look);
  return Array.from(seen, ([name, look]) => ({ name, look }));
}

/** What a chart counts, in words: test loss over time, s. */
export const chartName = ({ kind, x, y }: Chart): string =>
  titled(`${y.title} ${kind === 'lines' ? 'over' : 'by'} ${x.title}`, y.format);

/** How many of a chart's lines are described in words; the rest is in the table. */
const MAX_DESCRIBED = 6;

/** What a chart shows, for who does not see it. */
export function describe(chart: Chart): string {
  const { format, title } = chart.y;
  if (chart.kind === 'bars') {
    const bars = chart.bars.slice(0, MAX_DESCRIBED).map(({ name, value }) => `${name} ${withUnit(value, format)}`);
    return `Bars of ${title}: ${bars.join('; ')}.`;
  }
  const ends = chart.lines
    .slice(0, MAX_DESCRIBED)
    .map(({ name, y }) => `${name} from ${withUnit(y[0] ?? null, format)} to ${withUnit(y.at(-1) ?? null, format)}`);
  return `Lines of ${title} over ${chart.x.title}: ${ends.join('; ')}.`;
}

interface Row {
  readonly chart: string;
  readonly name: string;
  readonly look: Look;
  readonly format: NumberFormat;
  readonly values: readonly number[];
  readonly spread: number | null;
}

function rowsOf({ title, chart }: Panel): Row[] {
  const { format } = chart.y;
  const name = title === '' ? chartName(chart) : `${title}: ${chartName(chart)}`;
  return chart.kind === 'lines'
    ? chart.lines.map((line) => ({ ...line, chart: name, format, values: line.y, spread: null }))
    : chart.bars.map((bar) => {
        return { ...bar, chart: `${name}: ${chart.categories[bar.category] ?? ''}`, format, values: [bar.value] };
      });
}

/** The numbers behind a figure: of each line where it began and ended and how far it went, of each bar its value. */
export function figureTable({ id, caption, panels }: Figure): Table {
  const isBars = panels.every(({ chart }) => chart.kind === 'bars');
  // Charts of one figure may differ in what they count.
  const value = (title: string, read: (row: Row) => number | null | undefined) =>
    number<Row>(
      title,
      ({ format }) => format,
      (row) => read(row) ?? null,
    );
  return tableOf<Row>(`${id}-numbers`, `${caption}: the numbers`, panels.flatMap(rowsOf), [
    words('Chart', ({ chart }) => chart),
    named('Of'),
    ...(isBars
      ? [value('Mean', ({ values }) => values[0]), value('Spread', ({ spread }) => spread)]
      : [
          value('First', ({ values }) => values[0]),
          value('Lowest', ({ values }) => extremes([{ y: values }])?.low),
          value('Highest', ({ values }) => extremes([{ y: values }])?.high),
          value('Last', ({ values }) => values.at(-1)),
        ]),
  ]);
}

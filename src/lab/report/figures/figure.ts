import type { Figure, Panel, Table } from '../block.ts';
import { type NumberFormat, withUnit } from '../number-words.ts';
import { number, tableOf, words } from '../sections/columns.ts';
import { named } from '../sections/named-columns.ts';
import type { Chart } from './chart.ts';
import type { Look } from './palette.ts';

/** A figure with the legend and the table that follow from its charts. */
export function figureOf(
  id: string,
  caption: string,
  size: Figure['size'],
  charts: readonly { readonly title: string; readonly chart: Chart }[],
): Figure {
  const panels = charts.map(({ title, chart }): Panel => ({ title, chart, description: describe(chart) }));
  return {
    kind: 'figure',
    id,
    caption,
    size,
    legend: legendOf(charts),
    panels,
    table: numbersBehind(id, caption, charts),
  };
}

type Named = readonly { readonly title: string; readonly chart: Chart }[];

function legendOf(charts: Named): Figure['legend'] {
  const seen = new Map<string, Look>();
  for (const { chart } of charts) {
    for (const { name, look } of chart.kind === 'lines' ? chart.lines : chart.bars)
      if (!seen.has(name)) seen.set(name, look);
  }
  return Array.from(seen, ([name, look]) => ({ name, look }));
}

/** What a chart counts, in words: test loss over time, s. */
export function chartName({ chart }: { readonly chart: Chart }): string {
  const { title, format } = chart.y;
  const what = chart.kind === 'lines' ? `${title} over ${chart.x.title}` : `${title} by ${chart.x.title}`;
  return format.unit === '' ? what : `${what}, ${format.unit}`;
}

/** How many of a chart's lines are told in words; the rest is in the table. */
const TOLD = 6;

function describe(chart: Chart): string {
  const { format, title } = chart.y;
  if (chart.kind === 'bars') {
    const bars = chart.bars.slice(0, TOLD).map(({ name, value }) => `${name} ${withUnit(value, format)}`);
    return `Bars of ${title}: ${bars.join('; ')}.`;
  }
  const ends = chart.lines
    .slice(0, TOLD)
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

/** The numbers behind a figure: of each line where it began and ended and how far it went, of each bar its value. */
function numbersBehind(id: string, caption: string, charts: Named): Table {
  const rows = charts.flatMap(({ title, chart }): Row[] => {
    const { format } = chart.y;
    const chartWords = [title, chartName({ chart })].filter((part) => part !== '').join(': ');
    if (chart.kind === 'lines') {
      return chart.lines.map(({ name, look, y }) => ({
        chart: chartWords,
        name,
        look,
        format,
        values: y,
        spread: null,
      }));
    }
    return chart.bars.map(({ name, look, value, spread, category }) => ({
      chart: `${chartWords}: ${chart.categories[category] ?? ''}`,
      name,
      look,
      format,
      values: [value],
      spread,
    }));
  });
  const isBars = charts.every(({ chart }) => chart.kind === 'bars');
  const [first] = rows;
  const format: NumberFormat = { ...(first?.format ?? { scale: 1, decimals: () => 3 }), unit: '' };
  const value = (title: string, read: (row: Row) => number | null | undefined) => {
    const field = number<Row>(title, format, (row) => read(row) ?? null);
    // Charts of one figure may differ in what they count.
    return {
      ...field,
      cell: (row: Row) => number<Row>(title, { ...row.format, unit: '' }, (each) => read(each) ?? null).cell(row),
    };
  };
  return tableOf<Row>(`${id}-numbers`, `${caption}: the numbers`, rows, [
    words('Chart', ({ chart }) => chart),
    named('Of'),
    ...(isBars
      ? [value('Mean', ({ values }) => values[0]), value('Spread', ({ spread }) => spread)]
      : [
          value('First', ({ values }) => values[0]),
          value('Lowest', ({ values }) => values.reduce((low, each) => Math.min(low, each), Number.POSITIVE_INFINITY)),
          value('Highest', ({ values }) =>
            values.reduce((high, each) => Math.max(high, each), Number.NEGATIVE_INFINITY),
          ),
          value('Last', ({ values }) => values.at(-1)),
        ]),
  ]);
}

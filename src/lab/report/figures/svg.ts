import type { Look } from '../../../observe/look.ts';
import type { Figure } from '../block.ts';
import { Markup, markup } from '../markup.ts';
import { barChart } from './bar-chart.ts';
import { type Chart, type Size, sizes } from './chart.ts';
import { describe, legendOf } from './figure.ts';
import { lineChart } from './line-chart.ts';
import { chartCss, colourCss } from './palette.ts';

const drawing = (chart: Chart, size: Size): Markup =>
  chart.kind === 'lines' ? lineChart(chart, size) : barChart(chart, size);

/** One chart for a page whose styles have `chartCss`; `id` is not used twice in a page. */
export function chartSvg(chart: Chart, size: Size, id: string, name: string): Markup {
  return markup`<svg viewBox="0 0 ${size.width} ${size.height}" role="img" aria-labelledby="${id}-t ${id}-d"><title id="${id}-t">${name}</title>\
<desc id="${id}-d">${describe(chart)}</desc>${drawing(chart, size)}</svg>`;
}

const HEAD = 24;
const ENTRY = 20;
/** About the width of a letter of the legend. */
const LETTER = 6.4;

/** A whole figure as a file of its own: charts in rows, the legend below. */
export function figureFile(figure: Figure): string {
  const { caption, size: sizeName, panels } = figure;
  const size = sizes[sizeName];
  const columns = Math.min(panels.length, sizeName === 'wide' ? 2 : 3);
  const rows = Math.ceil(panels.length / Math.max(1, columns));
  const head = panels.some(({ title }) => title !== '') ? HEAD : 0;
  const [width, chartsHeight] = [columns * size.width, rows * (size.height + head)];
  const entries = legendPlaces(legendOf(figure), width);
  const height = chartsHeight + ((entries.at(-1)?.row ?? 0) + 1) * ENTRY + 8;
  const charts = panels.map((panel, index) => {
    const [x, y] = [(index % columns) * size.width, Math.floor(index / columns) * (size.height + head)];
    return markup`<text class="head" x="${x + 2}" y="${y + 15}">${panel.title}</text>\
<svg x="${x}" y="${y + head}" width="${size.width}" height="${size.height}">${drawing(panel.chart, size)}</svg>`;
  });
  const names = entries.map(({ name, look, x, row }) => {
    const y = chartsHeight + row * ENTRY + 10;
    return markup`${sample(look, x, y)}<text x="${x + 22}" y="${y + 4}">${name}</text>`;
  });
  // Constants of ours, which hold quotes that must stay: the one thing that is not escaped.
  const css = new Markup([`${colourCss}\n${chartCss}\nsvg .sheet{fill:#fbfbfa;fill:var(--page,#fbfbfa)}`], []);
  return markup`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">\
<title>${caption}</title><style>${css}</style><rect class="sheet" width="${width}" height="${height}"/>${charts}${names}</svg>
`.text;
}

/** A short piece of a line as a legend shows it. */
export const sample = ({ colour, isDashed }: Look, x: number, y: number): Markup =>
  markup`<path class="line s-${colour}${isDashed ? ' dashed' : ''}" stroke-width="2" d="M${x} ${y}h16"/>`;

function legendPlaces(legend: ReturnType<typeof legendOf>, width: number) {
  let [x, row] = [4, 0];
  return legend.map(({ name, look }) => {
    const room = 22 + name.length * LETTER + 20;
    if (x > 4 && x + room > width) [x, row] = [4, row + 1];
    const place = { name, look, x, row };
    x += Math.round(room);
    return place;
  });
}

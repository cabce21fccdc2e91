import { type Markup, markup } from '../markup.ts';
import type { BarChart, Size } from './chart.ts';
import { at, Frame } from './frame.ts';
import { linearScale } from './scale.ts';

const WIDEST = 28;

/** The inside of an svg element: bars from zero with whiskers of one spread up and down. */
export function barChart(chart: BarChart, size: Size): Markup {
  const frame = new Frame(size);
  const top = Math.max(0, ...chart.bars.map(({ value, spread }) => value + (spread ?? 0)));
  const scale = linearScale(0, top, 5);
  const pitch = (frame.right - frame.left) / Math.max(1, chart.categories.length);
  const drawn = chart.categories.map((name, category) => {
    const centre = frame.left + (category + 0.5) * pitch;
    const bars = chart.bars.filter((bar) => bar.category === category);
    const width = Math.min(WIDEST, (pitch * 0.8) / Math.max(1, bars.length));
    const shapes = bars.map(({ value, spread, look }, index) => {
      const [left, y] = [centre + (index - bars.length / 2) * width, frame.y(scale, value)];
      const shape = markup`<rect class="f-${look.colour}" x="${at(left + 1)}" y="${y}" width="${at(width - 2)}" \
height="${at(frame.bottom - y)}"${look.isDashed ? markup` opacity="0.55"` : null}/>`;
      if (spread === null) return shape;
      const [middle, arm] = [at(left + width / 2), at(Math.min(4, width / 4))];
      const [low, high] = [frame.y(scale, Math.max(0, value - spread)), frame.y(scale, value + spread)];
      return markup`${shape}<path class="whisker" d="M${middle} ${low}V${high}M${at(middle - arm)} ${high}h${at(arm * 2)}\
M${at(middle - arm)} ${low}h${at(arm * 2)}"/>`;
    });
    return markup`${frame.below(centre, name)}${shapes}`;
  });
  return markup`${frame.upright(scale, chart.y)}${drawn}${frame.levelTitle(chart.x.title)}`;
}

import { type Look, lookOf } from '../../../observe/look.ts';

/** Workers' and runs' colours, as the pages have them: light, then dark. */
const hues = [
  ['#d4500c', '#ff8a4c'],
  ['#0b8a6f', '#2fd3ab'],
  ['#8b3fd1', '#c08bff'],
  ['#a87f00', '#efc53b'],
  ['#d6336c', '#ff79a8'],
  ['#4d7c0f', '#a3d94e'],
  ['#0785a8', '#4fd1f0'],
  ['#7a4a22', '#c99a6b'],
  ['#b3141f', '#ff6b6b'],
  ['#5b6b82', '#a3b0c2'],
] as const;
const accent = ['#1d4ed8', '#7da2ff'] as const;
const runHues = [accent, ...hues.slice(0, 5), hues[9]] as const;

type Pair = readonly [light: string, dark: string];
const numbered = (name: string, pairs: readonly Pair[]) => pairs.map((pair, at) => [`${name}-${at}`, pair] as const);

/** Colours by name; light, then dark. Those that pages have too are the same there. */
export const colours: Readonly<Record<string, Pair>> = {
  page: ['#fbfbfa', '#14161a'],
  ink: ['#1a1c20', '#e8e9ec'],
  muted: ['#666b74', '#9aa0ab'],
  hairline: ['#e1e2df', '#2a2d34'],
  accent,
  bad: ['#b42318', '#ff8f82'],
  ...Object.fromEntries([...numbered('worker', hues), ...numbered('run', runHues)]),
};

export const settingLook = (index: number): Look => lookOf('run', index, runHues.length);
/** As many settings as this differ in colour. */
export const SETTING_COLOURS = runHues.length;

const variables = (mode: 0 | 1): string =>
  Object.entries(colours)
    .map(([name, pair]) => `--${name}:${pair[mode]}`)
    .join(';');

/** The colours as custom properties, light and dark; printed on white they are light. */
export const colourCss = `:root{color-scheme:light dark;${variables(0)}}
@media screen and (prefers-color-scheme:dark){:root{${variables(1)}}}
@media print{:root{color-scheme:light;--page:#fff}}`;

// Said twice, since some viewers of SVG files know no custom properties.
const paint = (property: string, name: string): string =>
  `${property}:${colours[name]?.[0]};${property}:var(--${name},${colours[name]?.[0]})`;

/** What charts need, in a page as in a file of their own. */
export const chartCss = `svg text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-size:11px;\
font-variant-numeric:tabular-nums;${paint('fill', 'muted')}}
svg text.name{${paint('fill', 'ink')}}
svg text.head{font-size:12px;font-weight:600;${paint('fill', 'ink')}}
svg .grid{fill:none;stroke-width:1;${paint('stroke', 'hairline')}}
svg .target{fill:none;stroke-width:1;stroke-dasharray:2 3;${paint('stroke', 'muted')}}
svg .whisker{fill:none;stroke-width:1.25;${paint('stroke', 'ink')}}
svg .line{fill:none;stroke-width:1.5;stroke-linejoin:round;stroke-linecap:round}
svg .point{stroke-width:5}
svg .dashed{stroke-dasharray:4 3}
${Object.keys(colours)
  .filter((name) => /\d$|^ink$|^muted$/.test(name))
  .map((name) => `svg .s-${name}{${paint('stroke', name)}}svg .f-${name}{${paint('fill', name)}}`)
  .join('\n')}`;

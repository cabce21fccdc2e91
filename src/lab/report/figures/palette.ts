/** Colours by name; light, then dark. Workers have those of the pages. */
const colours = {
  page: ['#fbfbfa', '#14161a'],
  ink: ['#1a1c20', '#e8e9ec'],
  muted: ['#5f646d', '#9aa0ab'],
  hairline: ['#e1e2df', '#2a2d34'],
  accent: ['#1d4ed8', '#7da2ff'],
  wash: ['#eef2fc', '#1c2438'],
  bad: ['#b42318', '#ff8f82'],
  'bad-wash': ['#fdf0ee', '#2e1a18'],
  'worker-0': ['#d4500c', '#ff8a4c'],
  'worker-1': ['#0b8a6f', '#2fd3ab'],
  'worker-2': ['#8b3fd1', '#c08bff'],
  'worker-3': ['#a87f00', '#efc53b'],
  'worker-4': ['#d6336c', '#ff79a8'],
  'worker-5': ['#4d7c0f', '#a3d94e'],
  'worker-6': ['#0785a8', '#4fd1f0'],
  'worker-7': ['#7a4a22', '#c99a6b'],
  'worker-8': ['#b3141f', '#ff6b6b'],
  'worker-9': ['#5b6b82', '#a3b0c2'],
  'run-0': ['#1d4ed8', '#7da2ff'],
  'run-1': ['#d4500c', '#ff8a4c'],
  'run-2': ['#0b8a6f', '#2fd3ab'],
  'run-3': ['#8b3fd1', '#c08bff'],
  'run-4': ['#a87f00', '#efc53b'],
  'run-5': ['#d6336c', '#ff79a8'],
  'run-6': ['#5b6b82', '#a3b0c2'],
} as const;

export type Colour = keyof typeof colours;

/** How a line or a bar is drawn, the same wherever the thing it stands for appears. */
export interface Look {
  readonly colour: Colour;
  readonly isDashed: boolean;
}

const WORKERS = 10;
const SETTINGS = 7;

/** From the eleventh worker on colours come again, dashed. */
export const workerLook = (worker: number): Look => ({
  colour: `worker-${worker % WORKERS}` as Colour,
  isDashed: Math.floor(worker / WORKERS) % 2 === 1,
});

/** From the eighth setting on colours come again, dashed. */
export const settingLook = (index: number): Look => ({
  colour: `run-${index % SETTINGS}` as Colour,
  isDashed: Math.floor(index / SETTINGS) % 2 === 1,
});

const variables = (mode: 0 | 1): string =>
  Object.entries(colours)
    .map(([name, pair]) => `--${name}:${pair[mode]}`)
    .join(';');

/** The colours as custom properties, light and dark; printed on white they are light. */
export const colourCss = `:root{color-scheme:light dark;${variables(0)}}
@media screen and (prefers-color-scheme:dark){:root{${variables(1)}}}
@media print{:root{color-scheme:light;--page:#fff}}`;

// Said twice, since some viewers of SVG files know no custom properties.
const paint = (property: string, name: Colour): string =>
  `${property}:${colours[name][0]};${property}:var(--${name},${colours[name][0]})`;

/** What charts need, in a page as in a file of their own. */
export const chartCss = `svg text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-size:11px;\
font-variant-numeric:tabular-nums;${paint('fill', 'muted')}}
svg text.name{${paint('fill', 'ink')}}
svg text.head{font-size:12px;font-weight:600;${paint('fill', 'ink')}}
svg .grid{fill:none;stroke-width:1;${paint('stroke', 'hairline')}}
svg .mark{fill:none;stroke-width:1;stroke-dasharray:2 3;${paint('stroke', 'muted')}}
svg .whisker{fill:none;stroke-width:1.25;${paint('stroke', 'ink')}}
svg .line{fill:none;stroke-width:1.5;stroke-linejoin:round;stroke-linecap:round}
svg .point{stroke-width:5}
svg .dashed{stroke-dasharray:4 3}
${(Object.keys(colours) as Colour[])
  .filter((name) => /\d$|^ink$|^muted$/.test(name))
  .map((name) => `svg .s-${name}{${paint('stroke', name)}}svg .f-${name}{${paint('fill', name)}}`)
  .join('\n')}`;

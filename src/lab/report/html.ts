import type { Look } from '../../observe/look.ts';
import type { SweepResult } from '../sweep-result.ts';
import type { Block, Cell, Column, Figure, Section, Table } from './block.ts';
import { reportDocument } from './document.ts';
import { sizes } from './figures/chart.ts';
import { chartName, figureTable, legendOf } from './figures/figure.ts';
import { chartSvg, sample } from './figures/svg.ts';
import { Markup, markup } from './markup.ts';
import { SPREAD } from './number-words.ts';
import { pageCss } from './style.ts';

/** One page with everything in it: no script, no other file, light, dark and print. What people wrote in it is escaped. */
export function reportHtml(result: SweepResult): string {
  const { title, subtitle, opening, sections } = reportDocument(result);
  // Our own constant: quotes in it must stay as they are.
  const css = new Markup([pageCss], []);
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${css}</style>
</head>
<body>
<div class="page">
<header>
<h1>${title}</h1>
<p class="subtitle">${subtitle}</p>
</header>
<main>
${opening.map(blockHtml)}
<nav aria-label="Contents"><ul>${sections.map(({ id, title: name }) => markup`<li><a href="#${id}">${name}</a></li>`)}</ul></nav>
${sections.map(sectionHtml)}
</main>
</div>
</body>
</html>
`.text;
}

const sectionHtml = ({ id, title, blocks }: Section): Markup =>
  markup`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${blocks.map(blockHtml)}</section>
`;

function blockHtml(block: Block): Markup {
  switch (block.kind) {
    case 'text':
      return markup`<p${block.tone === 'plain' ? null : markup` class="${block.tone}"`}>${block.text}</p>\n`;
    case 'notice':
      return markup`<div class="notice${block.isBad ? ' bad' : ''}"><p>${block.text}</p>${items(block.items)}</div>\n`;
    case 'list':
      return markup`<div class="list"><p>${block.title}</p>${items(block.items)}</div>\n`;
    case 'facts':
      return markup`<dl class="facts">${block.facts.map(([name, value]) => markup`<dt>${name}</dt><dd>${value}</dd>`)}</dl>\n`;
    case 'code':
      return markup`<pre tabindex="0" role="region" aria-label="Command"><code>${block.text}</code></pre>\n`;
    case 'parts':
      return markup`<div class="parts">${block.parts.map(
        ({ title, blocks }) => markup`<div class="part"><h3>${title}</h3>${blocks.map(blockHtml)}</div>`,
      )}</div>
`;
    case 'table':
      return tableHtml(block);
    case 'figure':
      return figureHtml(block);
    default:
      return block satisfies never;
  }
}

const items = (texts: readonly string[]): Markup | null =>
  texts.length === 0 ? null : markup`<ul>${texts.map((text) => markup`<li>${text}</li>`)}</ul>`;

/** A table in a box of its own, which a narrow screen scrolls. Rows that begin alike share their first cell. */
function tableHtml({ caption, columns, rows }: Table): Markup {
  const heads = columns.map(
    ({ title, isNumber }) => markup`<th scope="col"${isNumber ? markup` class="number"` : null}>${title}</th>`,
  );
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table><caption>${caption}</caption>
<thead><tr>${heads}</tr></thead>
<tbody>${rows.map((_, index) => rowHtml(rows, index, columns))}</tbody></table></div>
`;
}

function rowHtml(rows: Table['rows'], index: number, columns: readonly Column[]): Markup {
  const isAlike = (other: number) => rows[other] !== undefined && rows[other]?.[0]?.text === rows[index]?.[0]?.text;
  let span = 1;
  while (isAlike(index + span)) span += 1;
  const [first, ...others] = rows[index] ?? [];
  const scope = span === 1 ? markup`scope="row"` : markup`scope="rowgroup" rowspan="${span}"`;
  const isNamed = first !== undefined && !isAlike(index - 1);
  const name = isNamed ? markup`<th ${scope}${longClass(first)}>${dot(first.look)}${first.text}</th>` : null;
  return markup`<tr${span > 1 ? markup` class="inner"` : null}>${name}${others.map((cell, at) => cellHtml(cell, columns[at + 1]))}</tr>
`;
}

/** Names from people can be long; what is short stays on one line. */
const LONG = 28;
const longClass = ({ text }: Cell): Markup | null => (text.length > LONG ? markup` class="long"` : null);

function cellHtml(cell: Cell, column: Column | undefined): Markup {
  const { text, look } = cell;
  if (!column?.isNumber) return markup`<td${longClass(cell)}>${dot(look)}${text}</td>`;
  const [mean = '', spread] = text.split(SPREAD);
  return markup`<td class="number">${mean}${spread === undefined ? null : markup`<small>${SPREAD}${spread}</small>`}</td>`;
}

const dot = (look: Look | undefined): Markup | null =>
  look === undefined
    ? null
    : markup`<svg class="dot" viewBox="0 0 10 10" aria-hidden="true"><circle class="s-${look.colour} ${look.isDashed ? 'hollow' : `f-${look.colour}`}" cx="5" cy="5" r="4"/></svg>`;

function figureHtml(figure: Figure): Markup {
  const { id, caption, size, panels } = figure;
  const charts = panels.map(({ title, chart }, index) => {
    const name = `${chartName(chart)}${title === '' ? '' : `, ${title}`}`;
    return markup`<div class="panel">${title === '' ? null : markup`<p>${title}</p>`}${chartSvg(chart, sizes[size], `${id}-${index}`, name)}</div>`;
  });
  const names = legendOf(figure).map(
    ({ name, look }) => markup`<li><svg viewBox="0 0 16 10" aria-hidden="true">${sample(look, 0, 5)}</svg>${name}</li>`,
  );
  return markup`<figure><figcaption>${caption}</figcaption><ul class="legend">${names}</ul>
<div class="panels ${size}">${charts}</div>
<details><summary>The numbers as a table</summary>${tableHtml(figureTable(figure))}</details></figure>
`;
}

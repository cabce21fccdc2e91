import { csv } from '../../export/csv.ts';
import { curvesToCsv } from '../../export/curves.ts';
import type { SweepResult } from '../sweep-result.ts';
import type { Block, Figure, Table } from './block.ts';
import { reportDocument } from './document.ts';
import { figureTable } from './figures/figure.ts';
import { figureFile } from './figures/svg.ts';

export interface ReportFile {
  /** Relative to the Markdown file. */
  readonly path: string;
  readonly text: string;
}

/** The report as Markdown, with its charts as SVG files and every table as CSV beside it. What people wrote is escaped. */
export function reportMarkdown(result: SweepResult): {
  readonly markdown: string;
  readonly files: readonly ReportFile[];
} {
  const { title, subtitle, opening, sections } = reportDocument(result);
  const files: ReportFile[] = [{ path: 'tables/curves.csv', text: curvesCsv(result) }];
  const write = (blocks: readonly Block[]) => blocks.flatMap((block) => blockLines(block, files));
  const parts = [
    `# ${inline(title)}`,
    inline(subtitle),
    ...write(opening),
    ...sections.flatMap((section) => [`## ${inline(section.title)}`, ...write(section.blocks)]),
    'All test and training curves, point by point: [tables/curves.csv](tables/curves.csv)',
  ];
  return { markdown: `${parts.join('\n\n')}\n`, files };
}

function curvesCsv({ outcomes }: SweepResult): string {
  const known = outcomes.flatMap(({ key, report }) => (report === null ? [] : [{ key, report }]));
  return curvesToCsv(
    known.map(({ key, report: { experiment, startedAt, series } }) => ({
      id: key,
      experiment,
      startedAtMs: Date.parse(startedAt),
      summary: null,
      ...series,
    })),
  );
}

function blockLines(block: Block, files: ReportFile[]): string[] {
  switch (block.kind) {
    case 'text':
      return [block.tone === 'answer' ? `> ${inline(block.text)}` : inline(block.text)];
    case 'notice':
      return [`**${inline(block.text)}**`, ...listLines(block.items)];
    case 'list':
      return [`${inline(block.title)}:`, ...listLines(block.items)];
    case 'facts':
      return [block.facts.map(([name, value]) => `- ${inline(name)}: ${inline(value)}`).join('\n')];
    case 'code':
      return [fenced(block.text)];
    case 'parts':
      return block.parts.flatMap(({ title, blocks }) => [
        `### ${inline(title)}`,
        ...blocks.flatMap((inner) => blockLines(inner, files)),
      ]);
    case 'table':
      return [`**${inline(block.caption)}** ${csvLink(block, files)}`, tableLines(block)];
    case 'figure':
      return figureLines(block, files);
    default:
      return block satisfies never;
  }
}

const listLines = (items: readonly string[]): string[] =>
  items.length === 0 ? [] : [items.map((item) => `- ${inline(item)}`).join('\n')];

/** Numbers unrounded, a mean and its spread in columns of their own. */
const tableCsv = ({ columns, rows }: Table): string =>
  csv(
    columns.flatMap(({ names }) => names),
    rows.map((row) => row.flatMap(({ raw }) => raw)),
  );

function csvLink(table: Table, files: ReportFile[]): string {
  const path = `tables/${table.id}.csv`;
  files.push({ path, text: tableCsv(table) });
  return `([CSV](${path}))`;
}

function figureLines(figure: Figure, files: ReportFile[]): string[] {
  const path = `charts/${figure.id}.svg`;
  files.push({ path, text: figureFile(figure) });
  return [`![${inline(figure.caption)}](${path})`, `${inline(figure.caption)} ${csvLink(figureTable(figure), files)}`];
}

function tableLines({ columns, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(({ title }) => inline(title))),
    line(columns.map(({ isNumber }) => (isNumber ? '---:' : '---'))),
    ...rows.map((row) => line(row.map(({ text }) => inline(text)))),
  ].join('\n');
}

/** Text in which nothing means anything to Markdown or HTML, on one line. */
const inline = (text: string): string =>
  text
    .replace(/\s*[\r\n\u2028\u2029]+\s*/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/[\\`*_[\]|~#!]/g, '\\$&')
    .replace(/^([-+>])|^(\d+)([.)]\s)/, (_, mark = '', digits = '', end = '') => `${digits}\\${mark}${end}`)
    .replace(/\b(https?|ftp|mailto):/gi, '$1&#58;');

/** Code as it is, in a fence longer than any within. */
function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

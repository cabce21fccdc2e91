import { describe, expect, test } from 'vitest';
import { summarize } from '../summary.ts';
import { sweepForTests } from '../sweep-for-tests.ts';
import type { SweepResult } from '../sweep-result.ts';
import { legendOf } from './figures/figure.ts';
import { timeFigures } from './figures/time-figures.ts';
import { reportHtml } from './html.ts';
import { reportMarkdown } from './markdown.ts';
import { subjectOf } from './sections/subject.ts';

const HOSTILE = `<script>alert(1)</script>"' onload=x | **b** [a](javascript:x) <!-- \u0000 & =1+1`;

const voids = new Set(['meta', 'br', 'hr', 'img', 'input', 'link']);

/** The first tag that is closed out of turn or not at all; null if all are in order. */
function unbalanced(text: string): string | null {
  const open: string[] = [];
  const bare = text.replace(/<style>[^<]*<\/style>/g, '').replace(/<!doctype html>/i, '');
  for (const [tag, end, name = '', , isEmpty] of bare.matchAll(
    /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z:-]+(?:="[^"<>]*")?)*)\s*(\/?)>/gi,
  )) {
    if (end) {
      if (open.pop() !== name) return tag;
    } else if (!isEmpty && !voids.has(name)) open.push(name);
  }
  return open.pop() ?? null;
}

/** Every `<` that is not part of a tag as the page writes them would be somebody else's. */
const strayMarkup = (text: string): string[] =>
  text
    .replace(/<style>[^<]*<\/style>/g, '')
    .replace(/<!doctype html>/i, '')
    .replace(/<\/?[a-z][a-z0-9]*(?:\s+[a-z:-]+(?:="[^"<>]*")?)*\s*\/?>/gi, '')
    .match(/[<>].{0,20}/g) ?? [];

const csvRows = (text: string): string[][] =>
  text
    .trimEnd()
    .split('\r\n')
    .map((line) =>
      Array.from(line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g), ([, quoted, plain]) => quoted ?? plain ?? ''),
    );

const sweeps: Readonly<Record<string, SweepResult>> = {
  'a cluster': sweepForTests({ seed: 5 }),
  'one run each, no target': sweepForTests({
    seed: 6,
    repeats: 1,
    base: { untilLoss: null, epochs: 3 },
    cases: [8, 64, 512].map((batch) => ({ strategy: 'allreduce', workers: 3, batch })),
  }),
  'more settings than colours': sweepForTests({
    seed: 7,
    repeats: 2,
    cases: [1, 2, 3].flatMap((workers) =>
      [8, 64, 512].map((batch) => ({ strategy: 'async' as const, workers, batch })),
    ),
  }),
  'hostile names': sweepForTests({ seed: 8, name: HOSTILE }),
  'nothing yet': { ...sweepForTests({ seed: 9 }), outcomes: [] },
  'nothing at all': { ...sweepForTests({ seed: 9 }), outcomes: [], missing: [] },
};

describe.each(Object.entries(sweeps))('the report of %s', (_, result) => {
  const html = reportHtml(result);
  const { markdown, files } = reportMarkdown(result);

  test('is one well-formed page without scripts, and every id is used once', () => {
    expect(unbalanced(html)).toBeNull();
    expect(strayMarkup(html)).toEqual([]);
    expect(html).not.toMatch(/<script|\son[a-z]+="|NaN|undefined|Infinity/);
    expect(html).not.toMatch(/(?:src|href)="(?!#)/);
    const ids = Array.from(html.matchAll(/\sid="([^"]+)"/g), ([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('has headings in order, and heads and a caption in every table', () => {
    const levels = Array.from(html.matchAll(/<h([1-6])/g), ([, level]) => Number(level));
    expect(levels[0]).toBe(1);
    for (const [index, level] of levels.entries()) expect(level - (levels[index - 1] ?? 0)).toBeLessThanOrEqual(1);
    const tables = html.match(/<table>[\s\S]*?<\/table>/g) ?? [];
    for (const table of tables) {
      expect(table).toContain('<caption>');
      expect(table).not.toMatch(/<th(?! scope=)[\s>]/);
    }
    expect(html.match(/<svg viewBox="[^"]*" role="img"/g)?.length ?? 0).toBe(html.match(/<desc /g)?.length ?? 0);
  });

  test('has Markdown tables with as many cells in each row, and files for all it links to', () => {
    const tables = markdown.split('\n\n').filter((part) => part.startsWith('| '));
    expect(tables.length).toBeGreaterThan(0);
    for (const table of tables) {
      const widths = table.split('\n').map((line) => line.replaceAll('\\|', '').split('|').length);
      expect(new Set(widths).size).toBe(1);
    }
    const links = Array.from(markdown.matchAll(/(?<!\\)\]\(((?:tables|charts)\/[^)]+)\)/g), ([, path]) => path);
    expect(new Set(links)).toEqual(new Set(files.map(({ path }) => path)));
    expect(new Set(files.map(({ path }) => path)).size).toBe(files.length);
  });

  test('has files that hold together', () => {
    for (const { path, text } of files) {
      if (path.endsWith('.svg')) {
        expect(unbalanced(text)).toBeNull();
        expect(strayMarkup(text)).toEqual([]);
      } else if (path !== 'tables/curves.csv') {
        expect(new Set(csvRows(text).map((row) => row.length)).size, path).toBe(1);
      }
    }
  });
});

test('of many missing runs a few are named', () => {
  const { markdown } = reportMarkdown(sweeps['nothing yet'] ?? expect.fail());
  expect(markdown).toContain('1 of 1 run is missing.');
  const whole = sweepForTests({ seed: 9 });
  const none = { ...whole, missing: [...whole.outcomes, ...whole.missing], outcomes: [] };
  const named = reportMarkdown(none)
    .markdown.split('\n')
    .filter((line) => /^- .*repeat|^- and/.test(line));
  expect(named).toHaveLength(6);
  expect(named.at(-1)).toBe('- and 16 more');
});

test('batch sizes by modes are tables of their own, with the numbers of the settings in their places', () => {
  const result = sweeps['more settings than colours'] ?? expect.fail();
  const rows = csvRows(reportMarkdown(result).files.find(({ path }) => path === 'tables/grid-steps.csv')?.text ?? '');
  expect(rows[0]?.filter((name) => !name.endsWith('spread'))).toEqual(['batch', 'async × 1', 'async × 2', 'async × 3']);
  expect(rows.slice(1).map(([batch]) => batch)).toEqual(['8', '64', '512']);
  const at = rows[0]?.indexOf('async × 3') ?? -1;
  const steps = summarize(result).find(({ label }) => label === 'async × 3, batch 64')?.steps?.mean;
  expect(Number(rows[2]?.[at])).toBe(steps);
});

test('the test error is told after as many examples for settings whose steps are not alike', () => {
  const result = sweepForTests({
    seed: 4,
    repeats: 1,
    base: { untilLoss: null, epochs: 1 },
    cases: [50, 100].map((evalEvery) => ({ strategy: 'single', evalEvery, batch: evalEvery })),
  });
  // The second evaluates half as often, ten examples late, and goes on for longer.
  const [first, second] = [
    ...result.outcomes,
    ...result.missing.map((run) => ({ ...run, report: null, failure: null })),
  ];
  const report = first?.report ?? expect.fail();
  const point = report.series.test[0] ?? expect.fail();
  const withEvaluations = (evaluations: readonly (readonly [examples: number, accuracy: number])[]) => ({
    ...report,
    series: { ...report.series, test: evaluations.map(([examples, accuracy]) => ({ ...point, examples, accuracy })) },
  });
  const outcomes = [
    {
      ...(first ?? expect.fail()),
      report: withEvaluations([
        [0, 0.1],
        [100, 0.5],
        [200, 0.75],
        [300, 0.8],
        [400, 0.875],
      ]),
    },
    {
      ...(second ?? expect.fail()),
      report: withEvaluations([
        [0, 0.1],
        [210, 0.5],
        [410, 0.625],
        [610, 0.75],
      ]),
    },
  ];
  const { files } = reportMarkdown({ ...result, outcomes, missing: [] });
  const rows = csvRows(files.find(({ path }) => path === 'tables/test-error.csv')?.text ?? '');
  expect(rows.slice(1).map(([examples, one, , two]) => [examples, one, two])).toEqual([
    ['100', '50', ''],
    ['200', '25', '50'],
    ['300', '20', ''],
    ['400', '12.5', '37.5'],
    ['610', '', '25'],
  ]);
});

test('tables of operators keep their names while a sweep goes on', () => {
  const whole = sweepForTests({
    seed: 7,
    repeats: 1,
    cases: [8, 64, 512].map((batch) => ({ strategy: 'single', batch })),
  });
  const names = (result: SweepResult) =>
    reportMarkdown(result).files.flatMap(({ path }) => (path.includes('operators') ? [path] : []));
  const [first, ...others] = whole.outcomes;
  const begun = { ...whole, outcomes: [first ?? expect.fail()], missing: [...others, ...whole.missing] };
  expect(names(begun)).toEqual(['tables/operators-1.csv']);
  expect(names(whole)).toEqual(['tables/operators-1.csv', 'tables/operators-2.csv']);
});

test('a colour in a figure stands for one name', () => {
  const subject = subjectOf(sweeps['more settings than colours'] ?? expect.fail());
  expect(new Set(subject.settings.map(({ group }) => group)).size).toBe(3);
  for (const figure of timeFigures(subject)) {
    const legend = legendOf(figure);
    const looks = new Map(legend.map(({ name, look }) => [JSON.stringify(look), name]));
    expect(looks.size).toBe(legend.length);
    const bars = figure.panels.flatMap(({ chart }) => (chart.kind === 'bars' ? chart.bars : []));
    for (const { name, look } of bars) expect(looks.get(JSON.stringify(look))).toBe(name);
  }
});

describe('the report', () => {
  const result = sweeps['a cluster'] ?? expect.fail();
  const html = reportHtml(result);
  const { markdown, files } = reportMarkdown(result);
  const csvOf = (name: string) => csvRows(files.find(({ path }) => path === `tables/${name}.csv`)?.text ?? '');
  const column = (rows: string[][], name: string) => rows[0]?.indexOf(name) ?? -1;

  test('says first what is missing and what failed', () => {
    const opening = html.slice(0, html.indexOf('<section')).replaceAll('\u00a0', ' ');
    expect(opening).toContain('1 of 21 runs is missing.');
    expect(opening).toContain('1 of 21 runs failed; the numbers are without it.');
    expect(opening).toContain('worker 2 was gone for 30 s: its tab had been closed');
    expect(opening.indexOf('missing')).toBeLessThan(opening.indexOf('class="answer"'));
    expect(markdown.indexOf('is missing')).toBeLessThan(markdown.indexOf('## '));
  });

  test('has the means of the summary in its table', () => {
    const rows = csvOf('settings');
    const settings = summarize(result);
    expect(rows.slice(1).map(([name]) => name)).toEqual(settings.map(({ label }) => label));
    settings.forEach((setting, index) => {
      const row = rows[index + 1] ?? [];
      expect(Number(row[column(rows, 'time, s')])).toBeCloseTo(setting.seconds?.mean ?? Number.NaN, 9);
      expect(Number(row[column(rows, 'time, s, spread')])).toBeCloseTo(setting.seconds?.spread ?? Number.NaN, 9);
      expect(Number(row[column(rows, 'test accuracy, %')])).toBeCloseTo(
        (setting.accuracy?.mean ?? Number.NaN) * 100,
        9,
      );
    });
  });

  test('has bytes that add up, across a row and from workers to host', () => {
    const rows = csvOf('bytes');
    const value = (row: string[], name: string) => Number(row[column(rows, `${name}, MB`)] || 0);
    const body = rows.slice(1);
    for (const row of body) {
      const parts = ['control', 'parameters', 'gradients', 'overhead'].reduce((sum, name) => sum + value(row, name), 0);
      expect(parts).toBeCloseTo(value(row, 'total'), 9);
    }
    const of = (node: RegExp, direction: string) =>
      body.filter((row) => row[0] === 'sync × 3' && node.test(row[1] ?? '') && row[2] === direction);
    const total = (some: string[][]) => some.reduce((sum, row) => sum + value(row, 'total'), 0);
    expect(of(/^worker/, 'sent')).toHaveLength(2);
    expect(total(of(/^host$/, 'received'))).toBeCloseTo(total(of(/^worker/, 'sent')), 9);
    expect(total(of(/^host$/, 'sent'))).toBeCloseTo(total(of(/^worker/, 'received')), 9);
  });

  test('sets figures of others beside ours as ratios to single', () => {
    const rows = csvOf('references');
    const row = rows.find(([name, measure]) => name === 'sync × 3' && measure === 'time') ?? [];
    expect(row[column(rows, 'theirs')]?.replaceAll('\u00a0', ' ')).toBe('38–123 s');
    expect(row[column(rows, 'their ratio')]).toBe('2.74–8.88×');
    const mean = (label: string) => summarize(result).find((each) => each.label === label)?.seconds?.mean ?? Number.NaN;
    expect(Number(row[column(rows, 'our ratio, ×')])).toBeCloseTo(mean('sync × 3') / mean('single'), 9);
  });

  test('says where their time rises with workers and ours falls', () => {
    const sweep = sweepForTests({ seed: 8 });
    const faster = (label: string) => ({ single: 5, 'sync × 1': 12, 'sync × 3': 8 })[label] ?? 12;
    const outcomes = sweep.outcomes.map((outcome) =>
      outcome.report === null
        ? outcome
        : { ...outcome, report: { ...outcome.report, wallSeconds: faster(outcome.label) + outcome.repeat / 100 } },
    );
    const text = reportMarkdown({ ...sweep, outcomes }).markdown.replaceAll('\u00a0', ' ');
    expect(text).toContain(
      'Their time rises with workers where ours falls: sync × 3 takes 2.74–8.88× the time of single there and 0.67× that of sync × 1 here.',
    );
  });

  test('lets no formula into a spreadsheet and no markup into Markdown', () => {
    const hostile = reportMarkdown(sweepForTests({ seed: 8, name: `=1+1${HOSTILE}` }));
    expect(hostile.markdown.replace(/^```[\s\S]*?^```/gm, '')).not.toMatch(/<(?!br)|(?<!\\)\*\*b|(?<!\\)\[a/);
    for (const { path, text } of hostile.files) if (path.endsWith('.csv')) expect(text).not.toMatch(/(?:^|,)"?=/m);
  });
});

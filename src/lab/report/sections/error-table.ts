import { setNumber } from '../../../observe/format.ts';
import type { RunReport } from '../../../observe/run-report.ts';
import { type Measured, measured } from '../../measured.ts';
import type { Table } from '../block.ts';
import { finePercents } from '../number-words.ts';
import { key, mean, tableOf } from './columns.ts';
import type { Setting, Subject } from './subject.ts';

/** More columns no page has room for. */
const MAX_SETTINGS = 8;
const MAX_ROWS = 20;
/** Evaluations of settings whose steps differ in size fall beside each other: this near, as a part of the way to the next, they count as one. */
const NEAR = 0.3;

/** Test error after so many examples, which compares settings whose steps are not alike; null where nothing can be compared. */
export function errorTable({ settings, target }: Subject): Table | null {
  const trained = settings.filter(({ reports }) => reports.length > 0);
  if (target !== null || trained.length < 2 || trained.length > MAX_SETTINGS) return null;
  const counts = trained.map(({ reports }) => evaluationsOf(reports[0] as RunReport).map(({ examples }) => examples));
  const nearBy = NEAR * usualGap(counts);
  const rows: number[] = [];
  for (const count of counts.flat().sort((a, b) => a - b)) {
    if (rows.length === 0 || count > (rows.at(-1) ?? 0) + nearBy) rows.push(count);
  }
  const stride = Math.ceil(rows.length / MAX_ROWS);
  const shown = rows.filter((_, index) => (rows.length - 1 - index) % stride === 0);
  const isShared = (count: number) =>
    trained.filter((setting) => errorAfter(setting, count, nearBy) !== null).length > 1;
  if (shown.filter(isShared).length < 2) return null;
  return tableOf<number>('test-error', 'Test error after about so many examples, %', shown, [
    key('Examples', (count) => count, setNumber),
    ...trained.map((setting) =>
      mean<number>(setting.name, { ...finePercents, unit: '' }, (count) => errorAfter(setting, count, nearBy)),
    ),
  ]);
}

/** The evaluation before training is the same for all. */
const evaluationsOf = ({ series }: RunReport) => series.test.filter(({ examples }) => examples > 0);

/** From one evaluation to the next, in the middle of all settings' evaluations. */
function usualGap(counts: readonly (readonly number[])[]): number {
  const gaps = counts.flatMap((own) => own.map((count, index) => count - (own[index - 1] ?? 0)));
  return gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0;
}

function errorAfter({ reports }: Setting, examples: number, nearBy: number): Measured | null {
  return measured(
    reports.map((report) => {
      const away = (count: number) => Math.abs(count - examples);
      const [nearest] = evaluationsOf(report).sort((a, b) => away(a.examples) - away(b.examples));
      return nearest && away(nearest.examples) <= nearBy ? 1 - nearest.accuracy : null;
    }),
  );
}

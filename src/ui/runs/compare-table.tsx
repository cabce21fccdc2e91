import './compare-table.css';
import type { ShownRun } from '../host/model.ts';
import { RunSwatch } from '../parts/run-swatch.tsx';
import { type Column, number, Table } from '../parts/table.tsx';
import { unbroken } from '../words/unbroken.ts';
import { type ComparedRow, compare } from './comparison.ts';
import { runTitle } from './run-title.ts';

const columnOf = ({ log, slot }: ShownRun, at: number): Column<ComparedRow> => ({
  ...number(log.id, ({ cells }) => (
    <>
      {cells[at]?.text}
      {cells[at]?.isBest && <span class="hidden">, best</span>}
    </>
  )),
  class: ({ cells }) => (cells[at]?.isBest ? 'number best' : 'number'),
  head: (
    <>
      <RunSwatch slot={slot} />
      {unbroken(runTitle(log.experiment))}
    </>
  ),
});

/** The ticked runs side by side, the best of each line marked; nothing while there are not two. */
export function CompareTable({ runs }: { runs: readonly ShownRun[] }) {
  const shown = runs.filter(({ isShown, log }) => isShown && log.test.length > 0);
  if (shown.length < 2) return null;
  const { settings, results, caveats } = compare(shown);
  return (
    <section aria-label="Comparison">
      <h2>
        Side by side{' '}
        <span class="aside">
          the ticked runs; the best in each row is <b class="best">marked</b>
        </span>
      </h2>
      <Table
        label="Comparison of runs"
        class="comparison"
        columns={[
          { name: 'Measure', head: <span class="hidden">Measure</span>, isName: true, cell: ({ name }) => name },
          ...shown.map(columnOf),
        ]}
        rows={[...settings, ...results]}
        keyOf={({ name }) => name}
        groupOf={(row) => (settings.includes(row) ? 'settings' : 'results')}
        rowProps={({ hint }) => ({ title: hint || undefined })}
      />
      {caveats.length > 0 && <p class="aside">{caveats.join(' ')}</p>}
    </section>
  );
}

import './compare-table.css';
import type { ShownRun } from '../host/model.ts';
import { RunSwatch } from '../parts/run-swatch.tsx';
import { Scroll } from '../parts/scroll.tsx';
import { unbroken } from '../words/unbroken.ts';
import { type ComparedRow, compare } from './comparison.ts';
import { runTitle } from './run-title.ts';

function Row({ row, runs }: { row: ComparedRow; runs: readonly ShownRun[] }) {
  return (
    <tr title={row.hint || undefined}>
      <th scope="row">{row.name}</th>
      {row.cells.map(({ text, isBest }, at) => (
        <td key={runs[at]?.log.id} class={isBest ? 'number best' : 'number'}>
          {text}
          {isBest && <span class="hidden">, best</span>}
        </td>
      ))}
    </tr>
  );
}

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
          the ticked runs; the best of a line is <b class="best">marked</b>
        </span>
      </h2>
      <Scroll label="Comparison of runs">
        <table class="comparison">
          <thead>
            <tr>
              <td />
              {shown.map(({ log, slot }) => (
                <th key={log.id} scope="col" class="number">
                  <RunSwatch slot={slot} />
                  {unbroken(runTitle(log.experiment))}
                </th>
              ))}
            </tr>
          </thead>
          {settings.length > 0 && (
            <tbody class="settings">
              {settings.map((row) => (
                <Row key={row.name} row={row} runs={shown} />
              ))}
            </tbody>
          )}
          <tbody>
            {results.map((row) => (
              <Row key={row.name} row={row} runs={shown} />
            ))}
          </tbody>
        </table>
      </Scroll>
      {caveats.length > 0 && <p class="aside">{caveats.join(' ')}</p>}
    </section>
  );
}

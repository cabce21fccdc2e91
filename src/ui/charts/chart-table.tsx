import { useState } from 'preact/hooks';
import { count, duration, loss, percent } from '../../observe/format.ts';
import type { ShownRun } from '../host/model.ts';
import { runTitle } from '../runs/run-title.ts';
import type { Metric } from './series.ts';

/** More rows nobody reads; the download has them all. */
const MAX_ROWS = 100;

/** The tests behind a chart as a table, made only while it is open. */
export function ChartTable({ metric, runs }: { metric: Metric; runs: readonly ShownRun[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="behind" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{metric === 'loss' ? 'Loss' : 'Accuracy'} as a table</summary>
      {isOpen && runs.every(({ log }) => log.test.length === 0) && <p class="empty">No test has been made yet.</p>}
      {isOpen &&
        runs.map(({ log }) => {
          const every = Math.ceil(log.test.length / MAX_ROWS);
          const rows = log.test.filter((_, at) => at % every === 0 || at === log.test.length - 1);
          return (
            <table key={log.id}>
              <caption>
                {runTitle(log.experiment)}
                {every > 1 && `, every ${every} tests; the download has all`}
              </caption>
              <thead>
                <tr>
                  <th scope="col" class="number">
                    Step
                  </th>
                  <th scope="col" class="number">
                    Time
                  </th>
                  <th scope="col" class="number">
                    {metric === 'loss' ? 'Test loss' : 'Test accuracy'}
                  </th>
                </tr>
              </thead>
              <tbody>
                {rows.map((point) => (
                  <tr key={point.step}>
                    <td class="number">{count(point.step)}</td>
                    <td class="number">{duration(point.elapsedMs)}</td>
                    <td class="number">{metric === 'loss' ? loss(point.loss) : percent(point.accuracy)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          );
        })}
    </details>
  );
}

import type { TestPoint } from '../../core/server/progress.ts';
import { count, duration, loss, percent } from '../../observe/format.ts';
import type { ShownRun } from '../host/model.ts';
import { Behind } from '../parts/choice.tsx';
import { type Column, number, Table } from '../parts/table.tsx';
import { runTitle } from '../runs/run-title.ts';
import type { Metric } from './series.ts';

/** More rows nobody reads; the download has them all. */
const MAX_ROWS = 100;

const metricColumns: Readonly<Record<Metric, Column<TestPoint>>> = {
  loss: number('Test loss', (point) => loss(point.loss)),
  accuracy: number('Test accuracy', ({ accuracy }) => percent(accuracy)),
};
const columnsOf = (metric: Metric): readonly Column<TestPoint>[] => [
  number('Step', ({ step }) => count(step)),
  number('Time', ({ elapsedMs }) => duration(elapsedMs)),
  metricColumns[metric],
];

/** The evaluations behind a chart as a table. */
export const ChartTable = ({ metric, runs }: { metric: Metric; runs: readonly ShownRun[] }) => (
  <Behind summary={`${metric === 'loss' ? 'Loss' : 'Accuracy'} as a table`}>
    {() =>
      runs.every(({ log }) => log.test.length === 0) ? (
        <p class="empty">There has been no evaluation yet.</p>
      ) : (
        runs.map(({ log }) => {
          const every = Math.ceil(log.test.length / MAX_ROWS);
          const title = runTitle(log.experiment);
          return (
            <Table
              key={log.id}
              label={title}
              caption={every > 1 ? `${title}, one in ${every} evaluations; the download has all` : title}
              columns={columnsOf(metric)}
              rows={log.test.filter((_, at) => at % every === 0 || at === log.test.length - 1)}
              keyOf={({ step }) => step}
            />
          );
        })
      )
    }
  </Behind>
);

import './bytes-table.css';
import { type Account, accounting, accounts, type Flow, flowBytes } from '../../observe/accounting.ts';
import { bytes, duration, NOTHING } from '../../observe/format.ts';
import type { ShownRun } from '../host/model.ts';
import { type Column, number, Table } from '../parts/table.tsx';
import { useReport } from '../runs/export-report.ts';
import { NodeDot, nodeName } from './node-names.tsx';

/** One node's bytes in one direction. */
interface Row {
  readonly node: string;
  readonly worker: number | null;
  readonly direction: 'sent' | 'received';
  readonly flow: Flow;
  readonly between: number | null;
  readonly roundTripMs: number | null;
}

const size = (value: number | null): string => (value === 0 ? '0' : bytes(value));

/** The browser is asked now and then, so that in a run under way its count is behind ours. */
const isBehind = ({ flow }: Row): boolean => (flow.unaccounted ?? 0) < 0;

const hints: Partial<Record<Account, string>> = {
  unaccounted: 'What the channel carried beyond the kinds; 0 when our count is exact',
  overhead: 'Headers, encryption, acknowledgements, and what was sent again',
};

const accountColumn = (account: Account): Column<Row> =>
  number(
    account === 'unaccounted' ? 'uncounted' : account,
    (row) => (isBehind(row) && account === 'unaccounted' ? '…' : size(row.flow[account])),
    hints[account],
  );

function columnsOf(run: ShownRun, hasBetween: boolean): Column<Row>[] {
  const between = number<Row>(
    'to other workers',
    (row) => bytes(row.direction === 'sent' ? row.between : null),
    'Sent straight to other workers, past the host; not in the sum',
  );
  return [
    {
      name: 'Node',
      isName: true,
      cell: (row) => (
        <>
          <NodeDot node={row} />
          {nodeName(run, row)} <span class="aside">{row.direction}</span>
        </>
      ),
    },
    ...accounts.map(accountColumn),
    {
      name: 'together',
      class: 'number total',
      cell: (row) => size(flowBytes(isBehind(row) ? { ...row.flow, unaccounted: 0 } : row.flow)),
    },
    ...(hasBetween ? [between] : []),
    number('round trip', ({ direction, roundTripMs }) => (direction === 'sent' ? duration(roundTripMs) : '')),
  ];
}

/** Every byte of a run by kind, direction and node; each line adds up. */
export function BytesTab({ run }: { run: ShownRun }) {
  const report = useReport(run);
  const { host, workers, betweenWorkers } = accounting(report ?? { workers: [] });
  if (report === null || workers.length === 0) {
    return (
      <p class="empty">
        What goes to and from each worker appears here when one has joined by the link; the worker in the host’s own tab
        uses no wire.
      </p>
    );
  }
  const rows = [host, ...workers].flatMap(({ node, worker, ...flows }) =>
    (['sent', 'received'] as const).map((direction): Row => {
      const between = betweenWorkers.find((other) => other.worker === worker)?.bytes ?? null;
      const transport = report.workers.find((other) => other.worker === worker)?.transport;
      return { node, worker, direction, flow: flows[direction], between, roundTripMs: transport?.roundTripMs ?? null };
    }),
  );
  return (
    <>
      <p class="aside">
        Bytes by kind, direction and node; each line adds up, and the server’s are the sums of the workers’. {NOTHING}{' '}
        where the browser does not report{rows.some(isBehind) ? ', … where its count is some seconds behind ours' : ''}.
      </p>
      <Table
        label="Bytes by kind, direction and node"
        class="traffic"
        columns={columnsOf(run, betweenWorkers.length > 0)}
        rows={rows}
        keyOf={({ direction }) => direction}
        groupOf={({ node }) => node}
      />
    </>
  );
}

import { type Account, type Accounting, accounting, accounts, type Flow } from '../../../observe/accounting.ts';
import { type Measured, measured } from '../../measured.ts';
import type { SettingSummary } from '../../summary.ts';

/** Bytes of one node in one direction, over repeats: the accounts add up to the total. */
export interface TrafficRow {
  readonly node: string;
  readonly worker: number | null;
  readonly direction: 'sent' | 'received' | 'to other workers';
  readonly byAccount: Readonly<Record<Account, Measured | null>>;
  /** On the wire, where the transport tells; else as far as it is told. */
  readonly total: Measured | null;
}

interface Entry extends Pick<TrafficRow, 'node' | 'worker' | 'direction'> {
  readonly byAccount: Readonly<Partial<Record<Account, number | null>>>;
  readonly total: number;
}

/** Each worker that is linked to the host, then the host, then what workers sent each other. */
export function trafficRows({ reports }: Pick<SettingSummary, 'reports'>): TrafficRow[] {
  const entries = reports.flatMap((report) => entriesOf(accounting(report)));
  const id = ({ node, direction }: Entry) => `${node}\n${direction}`;
  const order = new Intl.Collator('en', { numeric: true });
  const rank = (entry: Entry) => (entry.direction === 'to other workers' ? 2 : entry.worker === null ? 1 : 0);
  const sorted = [...entries].sort((a, b) => rank(a) - rank(b) || order.compare(a.node, b.node));
  return [...new Set(sorted.map(id))].map((each) => folded(sorted.filter((entry) => id(entry) === each)));
}

function entriesOf({ workers, host, betweenWorkers }: Accounting): Entry[] {
  const nodes = workers.length === 0 ? [] : [...workers, host];
  return [
    ...nodes.flatMap(({ node, worker, sent, received }) => [
      { node, worker, direction: 'sent' as const, ...flowEntry(sent) },
      { node, worker, direction: 'received' as const, ...flowEntry(received) },
    ]),
    ...betweenWorkers.map(({ node, worker, bytes }) => ({
      node,
      worker,
      direction: 'to other workers' as const,
      byAccount: {},
      total: bytes,
    })),
  ];
}

const flowEntry = ({ byAccount, counted, channel, wire }: Flow): Pick<Entry, 'byAccount' | 'total'> => ({
  byAccount,
  total: wire ?? channel ?? counted,
});

function folded(repeats: readonly Entry[]): TrafficRow {
  const { node, worker, direction } = repeats[0] as Entry;
  const byAccount = accounts.map((account) => [
    account,
    measured(repeats.map((entry) => entry.byAccount[account] ?? null)),
  ]);
  return {
    node,
    worker,
    direction,
    byAccount: Object.fromEntries(byAccount) as Record<Account, Measured | null>,
    total: measured(repeats.map(({ total }) => total)),
  };
}

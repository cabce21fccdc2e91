import { accounting, accounts, type Flow, flowBytes } from '../../../observe/accounting.ts';
import type { RunReport } from '../../../observe/run-report.ts';
import { type Measured, measured } from '../../measured.ts';
import { aside, plain, type Section } from '../block.ts';
import { megabytes } from '../number-words.ts';
import { capital, mean, ofNode, ofSetting, tableOf, words } from './columns.ts';
import type { Setting, Subject } from './subject.ts';

/** Bytes of one node in one direction of one run: the accounts add up to the total. */
interface Entry {
  readonly node: string;
  readonly worker: number | null;
  readonly direction: 'sent' | 'received' | 'to other workers';
  /** Null of what workers sent each other: nobody counts that by kind. */
  readonly flow: Flow | null;
  readonly total: number;
}

/** The same of all repeats of a setting. */
interface Row extends Pick<Entry, 'node' | 'worker' | 'direction'> {
  readonly setting: Setting;
  readonly repeats: readonly Entry[];
}

const some = (value: Measured | null): Measured | null => (value?.max === 0 ? null : value);

/** Bytes of every node by kind and direction, adding up. */
export function trafficSection({ settings }: Subject): Section {
  const rows = settings.flatMap(trafficRows);
  const [id, title] = ['bytes', 'Bytes'];
  if (rows.length === 0)
    return { id, title, blocks: [plain('Nothing went over a wire: all work was done in the host’s own tab.')] };
  const fold = (read: (entry: Entry) => number | null | undefined) => (row: Row) =>
    measured(row.repeats.map((entry) => read(entry) ?? null));
  const table = tableOf<Row>('bytes', 'Bytes by kind and direction', rows, [
    ofSetting,
    ofNode,
    words('Direction', ({ direction }) => direction),
    ...accounts.map((account) => {
      const total = fold(({ flow }) => flow?.[account]);
      return mean<Row>(capital(account), megabytes, (row) => some(total(row)));
    }),
    mean(
      'Total',
      megabytes,
      fold(({ total }) => total),
    ),
  ]);
  const note = aside(
    'The host’s rows are its workers’ the other way round. Overhead is what the network counts beyond our own frames: headers, encryption, ' +
      'acknowledgements, retransmissions; – where it does not report, and then the total is without it. A worker in the host’s own tab has no wire.',
  );
  return { id, title, blocks: [table, note] };
}

/** Each worker that is linked to the host, then the host, then what workers sent each other. */
function trafficRows(setting: Setting): Row[] {
  const entries = setting.reports.flatMap(entriesOf);
  const id = ({ node, direction }: Entry) => `${node}\n${direction}`;
  const order = new Intl.Collator('en', { numeric: true });
  const rank = ({ direction, worker }: Row) => (direction === 'to other workers' ? 2 : worker === null ? 1 : 0);
  return [...new Map(entries.map((entry) => [id(entry), entry])).values()]
    .map((one): Row => ({ ...one, setting, repeats: entries.filter((entry) => id(entry) === id(one)) }))
    .sort((a, b) => rank(a) - rank(b) || order.compare(a.node, b.node));
}

function entriesOf(report: RunReport): Entry[] {
  const { workers, host, betweenWorkers } = accounting(report);
  const nodes = workers.length === 0 ? [] : [...workers, host];
  return [
    ...nodes.flatMap(({ node, worker, sent, received }) => [
      { node, worker, direction: 'sent' as const, flow: sent, total: flowBytes(sent) },
      { node, worker, direction: 'received' as const, flow: received, total: flowBytes(received) },
    ]),
    ...betweenWorkers.map(({ node, worker, bytes }): Entry => {
      return { node, worker, direction: 'to other workers', flow: null, total: bytes };
    }),
  ];
}

import './bytes-table.css';
import { kinds } from '../../core/wire/protocol.ts';
import { type Accounting, accounting, accounts, type Flow } from '../../observe/accounting.ts';
import { bytes, duration, NOTHING } from '../../observe/format.ts';
import type { RunNumbers } from '../../observe/run-numbers.ts';
import { Scroll } from '../parts/scroll.tsx';
import { WorkerDot } from '../parts/worker-dot.tsx';
import { useReport } from '../runs/export-report.ts';
import { type Inspected, SERVER, workerName } from './inspected.ts';

const heads = [
  ...kinds.map((kind) => ({ name: kind as string, hint: '' })),
  { name: 'uncounted', hint: 'What the channel carried beyond the kinds; 0 when our count is exact' },
  { name: 'overhead', hint: 'Headers, encryption, acknowledgements, and what was sent again' },
];

const size = (value: number | null): string => (value === 0 ? '0' : bytes(value));

/** The browser is asked now and then, so that in a run under way its count is behind ours. */
const isBehind = ({ byAccount }: Flow): boolean => (byAccount.unaccounted ?? 0) < 0;

function Cells({ flow }: { flow: Flow }) {
  const { byAccount, counted, channel, wire } = flow;
  const isLate = isBehind(flow);
  return (
    <>
      {accounts.map((account) => (
        <td key={account} class="number">
          {isLate && account === 'unaccounted' ? '…' : size(byAccount[account])}
        </td>
      ))}
      <td class="number total">{size(isLate ? counted + (byAccount.overhead ?? 0) : (wire ?? channel ?? counted))}</td>
    </>
  );
}

interface Line {
  readonly worker: number | null;
  readonly name: string;
  readonly sent: Flow;
  readonly received: Flow;
  readonly between: number | null;
  readonly roundTripMs: number | null;
}

function linesOf({ host, workers, betweenWorkers }: Accounting, inspected: Inspected): Line[] {
  const rows = inspected.now?.workers ?? [];
  return [
    { ...host, name: SERVER, between: null, roundTripMs: null },
    ...workers.map((node) => ({
      ...node,
      name: workerName(inspected, node.worker ?? -1),
      between: betweenWorkers.find(({ worker }) => worker === node.worker)?.bytes ?? null,
      roundTripMs: rows.find(({ worker }) => worker === node.worker)?.transport?.roundTripMs ?? null,
    })),
  ];
}

/** Only the kinds: what was kept of an earlier run, perhaps before there were all kinds. */
export function keptFlow(kept: Partial<RunNumbers['bytesUp']>): Flow {
  const byKind = Object.fromEntries(kinds.map((kind) => [kind, kept[kind] ?? 0])) as RunNumbers['bytesUp'];
  const counted = kinds.reduce((sum, kind) => sum + byKind[kind], 0);
  return { byAccount: { ...byKind, unaccounted: null, overhead: null }, counted, channel: null, wire: null };
}

/** Every byte of a run by kind, direction and node; each line adds up. */
export function BytesTab({ inspected }: { inspected: Inspected }) {
  const report = useReport(inspected);
  const { summary } = inspected.log;
  if (report !== null) {
    const lines = linesOf(accounting(report), inspected);
    if (lines.length > 1) return <BytesTable lines={lines} note={null} />;
  } else if (summary !== null && keptFlow(summary.bytesUp).counted > 0) {
    const [sent, received] = [keptFlow(summary.bytesDown), keptFlow(summary.bytesUp)];
    const host = { worker: null, name: SERVER, sent, received, between: null, roundTripMs: null };
    return <BytesTable lines={[host]} note="Of an earlier run only the server’s own totals were kept." />;
  }
  return (
    <p class="empty">
      What goes to and from each worker appears here when one has joined by the link; the worker in the host’s own tab
      uses no wire.
    </p>
  );
}

function BytesTable({ lines, note }: { lines: readonly Line[]; note: string | null }) {
  const hasLag = lines.some(({ sent, received }) => isBehind(sent) || isBehind(received));
  const hasBetween = lines.some(({ between }) => between !== null);
  return (
    <>
      <p class="aside">
        Bytes by kind, direction and node; each line adds up, and the server’s are the sums of the workers’. – where the
        browser does not tell{hasLag ? ', … where its count is some seconds behind ours' : ''}. {note}
      </p>
      <Scroll label="Bytes">
        <table class="traffic" aria-label="Bytes by kind, direction and node">
          <thead>
            <tr>
              <th scope="col">Node</th>
              {heads.map(({ name, hint }) => (
                <th key={name} scope="col" class="number" title={hint || undefined}>
                  {name}
                </th>
              ))}
              <th scope="col" class="number">
                together
              </th>
              {hasBetween && (
                <th scope="col" class="number" title="Sent straight to other workers, past the host; not in the sum">
                  to other workers
                </th>
              )}
              <th scope="col" class="number">
                round trip
              </th>
            </tr>
          </thead>
          {lines.map((line) => (
            <tbody key={line.name}>
              {(['sent', 'received'] as const).map((direction) => (
                <tr key={direction}>
                  <th scope="row">
                    {line.worker === null ? (
                      <span class="dot node-host" aria-hidden="true" />
                    ) : (
                      <WorkerDot worker={line.worker} />
                    )}
                    {line.name} <span class="aside">{direction}</span>
                  </th>
                  <Cells flow={line[direction]} />
                  {hasBetween && (
                    <td class="number">
                      {direction === 'sent' && line.between !== null ? bytes(line.between) : NOTHING}
                    </td>
                  )}
                  <td class="number">{direction === 'sent' ? duration(line.roundTripMs) : ''}</td>
                </tr>
              ))}
            </tbody>
          ))}
        </table>
      </Scroll>
    </>
  );
}

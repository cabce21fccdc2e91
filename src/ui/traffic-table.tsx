import { kinds } from '../core/protocol.ts';
import { type Tally, tallyBytes } from '../core/traffic.ts';
import type { WorkerRow } from '../host/state.ts';
import { bytes, duration, NOTHING } from './format.ts';
import type { HostModel } from './host-model.ts';
import { WorkerDot } from './worker-dot.tsx';

function Cells({ tally, browserBytes }: { tally: Tally; browserBytes: number | undefined }) {
  return (
    <>
      {kinds.map((kind) => (
        <td key={kind} class="number" title={`${tally[kind].frames} frames`}>
          {tally[kind].bytes === 0 ? NOTHING : bytes(tally[kind].bytes)}
        </td>
      ))}
      <td class="number">{bytes(tallyBytes(tally))}</td>
      <td class="number">{browserBytes === undefined ? NOTHING : bytes(browserBytes)}</td>
    </>
  );
}

function Heads() {
  return (
    <>
      {[...kinds, 'counted here', 'by the browser'].map((name) => (
        <th key={name} scope="col" class="number">
          {name}
        </th>
      ))}
    </>
  );
}

function Row({ row }: { row: WorkerRow }) {
  return (
    <tr>
      <th scope="row">
        <WorkerDot worker={row.worker} />
        {row.name}
      </th>
      <Cells tally={row.traffic.received} browserBytes={row.transport?.bytesReceived} />
      <Cells tally={row.traffic.sent} browserBytes={row.transport?.bytesSent} />
      <td class="number">{duration(row.transport?.roundTripMs)}</td>
    </tr>
  );
}

/** Bytes by kind and direction, ours beside the browser's own count. */
export function TrafficTable({ model }: { model: HostModel }) {
  const remote = model.state.value.workers.filter(({ isLocal }) => !isLocal);
  return (
    <details class="traffic">
      <summary>Bytes by kind and direction</summary>
      {remote.length === 0 ? (
        <p class="empty">What goes to and from each worker appears here when one has joined by the link.</p>
      ) : (
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th rowSpan={2} scope="col">
                  Worker
                </th>
                <th colSpan={kinds.length + 2} scope="colgroup">
                  Up, from the worker
                </th>
                <th colSpan={kinds.length + 2} scope="colgroup">
                  Down, to the worker
                </th>
                <th rowSpan={2} scope="col" class="number">
                  Round trip
                </th>
              </tr>
              <tr>
                <Heads />
                <Heads />
              </tr>
            </thead>
            <tbody>
              {remote.map((row) => (
                <Row key={row.worker} row={row} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

import { kinds } from '../core/protocol.ts';
import { type Tally, tallyBytes } from '../core/traffic.ts';
import type { WorkerRow } from '../host/state.ts';
import { bytes, duration, NOTHING } from './format.ts';
import type { HostModel } from './host-model.ts';
import { ServerCounts } from './server-counts.tsx';
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

function Row({ row, hasPeers }: { row: WorkerRow; hasPeers: boolean }) {
  return (
    <tr>
      <th scope="row">
        <WorkerDot worker={row.worker} />
        {row.name}
      </th>
      <Cells tally={row.traffic.received} browserBytes={row.transport?.bytesReceived} />
      <Cells tally={row.traffic.sent} browserBytes={row.transport?.bytesSent} />
      {hasPeers && <td class="number">{bytes(row.peerBytes)}</td>}
      <td class="number">{duration(row.transport?.roundTripMs)}</td>
    </tr>
  );
}

function Traffic({ model }: { model: HostModel }) {
  const remote = model.state.value.workers.filter(({ isLocal }) => !isLocal);
  const hasPeers = remote.some(({ peerBytes }) => peerBytes > 0);
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
                {hasPeers && (
                  <th rowSpan={2} scope="col" class="number">
                    To other workers
                  </th>
                )}
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
                <Row key={row.worker} row={row} hasPeers={hasPeers} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

/** What was moved and counted, for who wants to know exactly: bytes ours beside the browser's own count. */
export function TrafficTable({ model }: { model: HostModel }) {
  return (
    <>
      <Traffic model={model} />
      <ServerCounts model={model} />
    </>
  );
}

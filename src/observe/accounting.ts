import { type Kind, kinds } from '../core/wire/protocol.ts';
import type { Bytes, RunReport, WorkerReport } from './run-report.ts';

/** Everything bytes are spent on: our own kinds; what the channel carried beside them; what lies below the channel. */
export const accounts = [...kinds, 'unaccounted', 'overhead'] as const;
/** `unaccounted` should be 0. `overhead` is headers, encryption, acknowledgements and what was sent again. */
export type Account = (typeof accounts)[number];

/** Bytes that went one way; null where no transport tells. */
export type Flow = Readonly<Record<Kind, number>> & Readonly<Record<'unaccounted' | 'overhead', number | null>>;

/** All bytes of a flow: as they left the machine where the transport tells, else as far as it does. */
export const flowBytes = (flow: Flow): number => accounts.reduce((sum, account) => sum + (flow[account] ?? 0), 0);

/** One machine's bytes, seen from it. */
export interface NodeAccount {
  readonly node: string;
  /** Null for the host. */
  readonly worker: number | null;
  readonly sent: Flow;
  readonly received: Flow;
}

/** All bytes of a run. The host's row is the sum over its links: what a worker sent is what the host received. */
export interface Accounting {
  readonly host: NodeAccount;
  /** Without the host's own worker, whose bytes leave no machine. */
  readonly workers: readonly NodeAccount[];
  /** Sent straight from worker to worker, by sender; the same bytes are received by others. */
  readonly betweenWorkers: readonly { readonly node: string; readonly worker: number; readonly bytes: number }[];
}

/** Accounts for the bytes of a run by kind, direction and node. In every flow the accounts add up. */
export function accounting({ workers }: Pick<RunReport, 'workers'>): Accounting {
  const remote = workers.filter(({ isLocal }) => !isLocal);
  const rows = remote.map(workerAccount);
  return {
    host: {
      node: 'host',
      worker: null,
      sent: sumOf(rows.map(({ received }) => received)),
      received: sumOf(rows.map(({ sent }) => sent)),
    },
    workers: rows,
    betweenWorkers: workers.flatMap((worker) =>
      worker.bytesToPeers > 0 ? [{ node: nodeName(worker), worker: worker.worker, bytes: worker.bytesToPeers }] : [],
    ),
  };
}

/** As every other table and chart calls it. */
const nodeName = ({ worker }: WorkerReport) => `worker ${worker}`;

function workerAccount(worker: WorkerReport): NodeAccount {
  const { transport, bytesUp, bytesDown } = worker;
  return {
    node: nodeName(worker),
    worker: worker.worker,
    // The transport counts at the host: what it received is what the worker sent.
    sent: flowOf(bytesUp, transport?.bytesReceived ?? null, transport?.wireBytesReceived ?? null),
    received: flowOf(bytesDown, transport?.bytesSent ?? null, transport?.wireBytesSent ?? null),
  };
}

/** `channel` is what the channel counted, `wire` what left the machine. */
function flowOf({ total, ...byKind }: Bytes, channel: number | null, wire: number | null): Flow {
  const unaccounted = channel === null ? null : channel - total;
  return { ...byKind, unaccounted, overhead: channel === null || wire === null ? null : wire - channel };
}

/** Null where one of them is: a sum that leaves somebody out would not add up. */
function sumOf(flows: readonly Flow[]): Flow {
  const sums = accounts.map((account) => {
    const parts = flows.map((flow) => flow[account]);
    return [account, parts.reduce((sum, part) => (sum === null || part === null ? null : sum + part), 0)];
  });
  return Object.fromEntries(sums) as Flow;
}

import { type Kind, kinds } from '../core/wire/protocol.ts';
import type { Bytes, RunReport, WorkerReport } from './run-report.ts';

/** Everything bytes are spent on: our own kinds; what the channel carried beside them; what lies below the channel. */
export const accounts = [...kinds, 'unaccounted', 'overhead'] as const;
/** `unaccounted` should be 0. `overhead` is headers, encryption, acknowledgements and what was sent again. */
export type Account = (typeof accounts)[number];

/** Bytes that went one way. */
export interface Flow {
  /** Null where no transport tells. */
  readonly byAccount: Readonly<Record<Kind, number>> & Readonly<Record<'unaccounted' | 'overhead', number | null>>;
  /** Of all kinds, as we count them. */
  readonly counted: number;
  /** As the channel counts: `counted` and `unaccounted`. */
  readonly channel: number | null;
  /** As they left the machine: `channel` and `overhead`. */
  readonly wire: number | null;
}

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

/** Accounts for the bytes of a run by kind, direction and node. In every flow the accounts add up to the total above them. */
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

function flowOf(bytes: Bytes, channel: number | null, wire: number | null): Flow {
  const byKind = Object.fromEntries(kinds.map((kind) => [kind, bytes[kind]])) as Record<Kind, number>;
  const counted = kinds.reduce((sum, kind) => sum + bytes[kind], 0);
  const unaccounted = channel === null ? null : channel - counted;
  const overhead = channel === null || wire === null ? null : wire - channel;
  return { byAccount: { ...byKind, unaccounted, overhead }, counted, channel, wire: overhead === null ? null : wire };
}

/** Null where one of them is: a sum that leaves somebody out would not add up. */
function sumOf(flows: readonly Flow[]): Flow {
  const total = (read: (flow: Flow) => number) => flows.reduce((sum, flow) => sum + read(flow), 0);
  const told = (read: (flow: Flow) => number | null) =>
    flows.reduce<number | null>((sum, flow) => {
      const part = read(flow);
      return sum === null || part === null ? null : sum + part;
    }, 0);
  const byKind = Object.fromEntries(kinds.map((kind) => [kind, total(({ byAccount }) => byAccount[kind])]));
  return {
    byAccount: {
      ...(byKind as Record<Kind, number>),
      unaccounted: told(({ byAccount }) => byAccount.unaccounted),
      overhead: told(({ byAccount }) => byAccount.overhead),
    },
    counted: total(({ counted }) => counted),
    channel: told(({ channel }) => channel),
    wire: told(({ wire }) => wire),
  };
}

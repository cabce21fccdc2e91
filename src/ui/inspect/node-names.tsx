import type { NodeResources } from '../../core/wire/resources.ts';
import type { ShownRun } from '../host/model.ts';
import { WorkerDot } from '../parts/worker-dot.tsx';

/** What the node is called that keeps the parameters, beside a worker that may be in the same tab. */
export const SERVER = 'Server';

/** A worker's name, or its number where the names were not kept; that of the host's own tab says that it is a worker. */
export function workerName({ moment }: ShownRun, worker: number): string {
  const row = moment?.workers.find((known) => known.worker === worker);
  if (row === undefined) return `worker ${worker}`;
  return row.isLocal ? `${row.name} (worker ${worker})` : row.name;
}

type Node = Pick<NodeResources, 'node' | 'worker'>;

/** What a node is called in the inspector, whatever files call it. */
export const nodeName = (run: ShownRun, { node, worker }: Node): string =>
  worker !== null ? workerName(run, worker) : node === 'host' ? SERVER : node;

/** A node's colour: a worker's own, ink for the server, grey for the rest. */
export function NodeDot({ node: { node, worker } }: { node: Node }) {
  return worker === null ? <span class={`dot node-${node}`} aria-hidden="true" /> : <WorkerDot worker={worker} />;
}

/** A node's name with its colour, and who watched it where that is not its own tab. */
export function NodeName({ node, run }: { node: NodeResources; run: ShownRun }) {
  return (
    <>
      <NodeDot node={node} />
      {nodeName(run, node)}
      {node.source === 'process' && <span class="aside"> as its system sees it</span>}
    </>
  );
}

import type { NodeResources } from '../../../core/wire/resources.ts';
import { WorkerDot } from '../../parts/worker-dot.tsx';
import { type Inspected, nodeName } from '../inspected.ts';

/** A node's colour: a worker's own, ink for the server, grey for the rest. */
export function NodeDot({ node: { node, worker } }: { node: NodeResources }) {
  return worker === null ? <span class={`dot node-${node}`} aria-hidden="true" /> : <WorkerDot worker={worker} />;
}

/** A node's name with its colour, and who watched it where that is not its own tab. */
export function NodeName({ node, inspected }: { node: NodeResources; inspected: Inspected }) {
  return (
    <>
      <NodeDot node={node} />
      {nodeName(inspected, node)}
      {node.source === 'process' && <span class="aside"> as its system sees it</span>}
    </>
  );
}

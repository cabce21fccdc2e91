import type { NodeResources } from '../../../core/wire/resources.ts';
import { NOTHING } from '../../../observe/format.ts';
import { metricValues, type ResourceMetric, resourceMetrics } from '../../../observe/resource-metrics.ts';
import type { ShownRun } from '../../host/model.ts';
import { Behind } from '../../parts/choice.tsx';
import { number, Table } from '../../parts/table.tsx';
import { NodeName } from '../node-names.tsx';
import { nodeKey, resourceWords } from './resources-series.ts';

const knownValues = ({ samples }: NodeResources, metric: ResourceMetric): number[] =>
  metricValues(samples, metric).filter((value) => value !== null);

function meanAndMost(node: NodeResources, metric: ResourceMetric): string {
  const known = knownValues(node, metric);
  if (known.length === 0) return NOTHING;
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  return `${resourceWords(metric.unit, mean)} / ${resourceWords(metric.unit, Math.max(...known))}`;
}

/** What each node used, in numbers. */
export const ResourcesTable = ({ nodes, run }: { nodes: readonly NodeResources[]; run: ShownRun }) => (
  <Behind summary="Resources as a table">
    {() => (
      <>
        <p class="aside">Mean / highest of all samples of each node; – where it does not report.</p>
        <Table
          label="Resources of each node"
          columns={[
            { name: 'Node', isName: true, cell: (node) => <NodeName node={node} run={run} /> },
            ...resourceMetrics
              .filter((metric) => nodes.some((node) => knownValues(node, metric).length > 0))
              .map((metric) => number<NodeResources>(metric.name, (node) => meanAndMost(node, metric))),
          ]}
          rows={nodes}
          keyOf={nodeKey}
        />
      </>
    )}
  </Behind>
);

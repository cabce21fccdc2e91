import { useState } from 'preact/hooks';
import type { NodeResources } from '../../../core/wire/resources.ts';
import { NOTHING } from '../../../observe/format.ts';
import { Scroll } from '../../parts/scroll.tsx';
import type { Inspected } from '../inspected.ts';
import { NodeName } from './resources-node.tsx';
import { resourceWords } from './resources-plot.ts';
import { type ResourceMetric, resourceMetrics } from './resources-series.ts';

function cell({ samples }: NodeResources, { read, unit }: ResourceMetric): string {
  const known = read(samples).filter((value) => value !== null);
  if (known.length === 0) return NOTHING;
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  return `${resourceWords(unit, mean)} / ${resourceWords(unit, Math.max(...known))}`;
}

/** What each node used, in numbers, made only while it is open. */
export function ResourcesTable({ nodes, inspected }: { nodes: readonly NodeResources[]; inspected: Inspected }) {
  const [isOpen, setOpen] = useState(false);
  const metrics = resourceMetrics.filter(({ read }) =>
    nodes.some(({ samples }) => read(samples).some((value) => value !== null)),
  );
  return (
    <details class="behind" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Resources as a table</summary>
      {isOpen && <p class="aside">Mean / most over the looks at each node; – where it does not tell.</p>}
      {isOpen && (
        <Scroll label="Resources">
          <table aria-label="Resources of each node">
            <thead>
              <tr>
                <th scope="col">Node</th>
                {metrics.map(({ name }) => (
                  <th key={name} scope="col" class="number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {nodes.map((node) => (
                <tr key={`${node.node} ${node.source}`}>
                  <th scope="row">
                    <NodeName node={node} inspected={inspected} />
                  </th>
                  {metrics.map((metric) => (
                    <td key={metric.name} class="number">
                      {cell(node, metric)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </details>
  );
}

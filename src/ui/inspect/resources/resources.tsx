import './resources.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type NodeResources, pressures } from '../../../core/wire/resources.ts';
import { nearest } from '../../../observe/points.ts';
import { type ResourceMetric, resourceMetrics } from '../../../observe/resource-metrics.ts';
import { usePlot } from '../../charts/use-plot.ts';
import type { ShownRun } from '../../host/model.ts';
import { useTheme } from '../../parts/theme.ts';
import { useVisible } from '../../parts/visible.ts';
import { NodeDot, NodeName, nodeName } from '../node-names.tsx';
import { createResourcePlot, resourceData, resourceWords } from './resources-plot.ts';
import { inOrder, pressureStretches, type ResourceLine, resourceLines } from './resources-series.ts';
import { nodeKey, ResourcesTable } from './resources-table.tsx';

/** What each node used over time. */
export function ResourcesTab({ run }: { run: ShownRun }) {
  const nodes = inOrder(run.log.resources).filter(({ samples }) => samples.length > 0);
  const [hoverX, setHoverX] = useState<number | null>(null);
  if (nodes.length === 0) {
    return (
      <p class="empty">
        How busy each node is, its memory, its network and its storage appear here while a run goes on: each node takes
        a sample of itself now and then and sends it.
      </p>
    );
  }
  const toMs = Math.max(...nodes.map(({ samples }) => samples.at(-1)?.atMs ?? 0));
  const fromMs = Math.min(...nodes.map(({ samples }) => samples[0]?.atMs ?? 0));
  const told = resourceMetrics.map((metric) => ({ metric, ...resourceLines(nodes, metric) }));
  const unknown = told.filter(({ lines }) => lines.length === 0).map(({ metric }) => metric.name.toLowerCase());
  return (
    <div class="resources">
      <p class="key">
        {nodes.map((node) => (
          <span key={nodeKey(node)}>
            <NodeName node={node} run={run} />
          </span>
        ))}
      </p>
      <div class="multiples">
        {told
          .filter(({ lines }) => lines.length > 0)
          .map(({ metric, lines, silent }) => (
            <ResourceChart
              key={metric.name}
              metric={metric}
              lines={lines}
              silent={silent.map((node) => nodeName(run, node))}
              range={[fromMs / 1000, toMs / 1000]}
              hoverX={hoverX}
              onHover={setHoverX}
            />
          ))}
        <Pressure nodes={nodes} run={run} fromMs={fromMs} toMs={toMs} />
      </div>
      {unknown.length > 0 && <p class="aside">This browser does not tell: {unknown.join(', ')}.</p>}
      <ResourcesTable nodes={nodes} run={run} />
    </div>
  );
}

interface ResourceChartProps {
  readonly metric: ResourceMetric;
  readonly lines: readonly ResourceLine[];
  readonly silent: readonly string[];
  /** In seconds. */
  readonly range: readonly [number, number];
  readonly hoverX: number | null;
  onHover(x: number | null): void;
}

/** The value at the pointer, or the last one that is known. */
function reading({ x, y }: ResourceLine, hoverX: number | null): number | null {
  if (hoverX === null) return y.findLast((value) => value !== null) ?? null;
  return y[nearest(x, hoverX)] ?? null;
}

/** More than this many names or numbers do not fit beside a small chart. */
const MAX_NAMED = 3;

/** Some names, and how many more there are. */
const someOf = (names: readonly string[]): string =>
  names.length <= MAX_NAMED
    ? names.join(', ')
    : `${names.slice(0, MAX_NAMED - 1).join(', ')} and ${names.length - MAX_NAMED + 1} more`;

/** Each node's value at the pointer; of many nodes, the least and the most. */
function ResourceReadings({
  lines,
  unit,
  hoverX,
}: Pick<ResourceChartProps, 'lines' | 'hoverX'> & Pick<ResourceMetric, 'unit'>) {
  const told = lines.flatMap((line) => {
    const value = reading(line, hoverX);
    return value === null ? [] : [{ node: line.node, value }];
  });
  const values = told.map(({ value }) => value);
  return (
    <p class="readings">
      {told.length > MAX_NAMED ? (
        <span>
          {resourceWords(unit, Math.min(...values))} to {resourceWords(unit, Math.max(...values))}
        </span>
      ) : (
        told.map(({ node, value }) => (
          <span key={nodeKey(node)}>
            <NodeDot node={node} />
            {resourceWords(unit, value)}
          </span>
        ))
      )}
    </p>
  );
}

function ResourceChart({ metric, lines, silent, range, hoverX, onHover }: ResourceChartProps) {
  const { name, hint, unit } = metric;
  const box = useRef<HTMLDivElement>(null);
  const latest = useRef(range);
  latest.current = range;
  const theme = useTheme();
  const isVisible = useVisible(box);
  const shape = [theme, ...lines.map(({ node }) => nodeKey(node))].join('\n');
  const size = [...range, ...lines.map(({ x }) => x.length)].join(' ');
  const isDue = isVisible ? size : null;
  const plot = usePlot(box, shape, (root) =>
    createResourcePlot(root, { unit, lines, range: () => [...latest.current], onHover }),
  );
  useEffect(() => {
    if (isDue !== null) plot.current?.setData(resourceData(lines));
  }, [isDue]);
  return (
    <figure class="chart small">
      <figcaption title={hint}>
        <h3>{name}</h3>
        <ResourceReadings lines={lines} unit={unit} hoverX={hoverX} />
      </figcaption>
      <div
        class="plot"
        ref={box}
        role="img"
        aria-label={`${name} of each node over time; the table below has the numbers`}
      />
      {silent.length > 0 && <p class="aside">Not told by {someOf(silent)}.</p>}
    </figure>
  );
}

interface PressureProps {
  readonly nodes: readonly NodeResources[];
  readonly run: ShownRun;
  readonly fromMs: number;
  readonly toMs: number;
}

/** How hard pressed each node's machine is, as a strip over the same time; nothing where no browser tells. */
function Pressure({ nodes, run, fromMs, toMs }: PressureProps) {
  const telling = nodes.filter(({ samples }) => samples.some(({ pressure }) => pressure !== null));
  if (telling.length === 0) return null;
  const lastOf = ({ samples }: NodeResources) => samples.findLast(({ pressure }) => pressure !== null)?.pressure ?? '';
  return (
    <figure class="chart small pressure">
      <figcaption title="How close each machine is to running out of processor time, as its browser judges">
        <h3>Pressure</h3>
        <p class="key">
          {pressures.map((pressure) => (
            <span key={pressure}>
              <i class={pressure} />
              {pressure}
            </span>
          ))}
        </p>
      </figcaption>
      {telling.map((node) => (
        <div key={nodeKey(node)} class="strip-row">
          <span>
            <NodeName node={node} run={run} />
          </span>
          <span class="strip" role="img" aria-label={`now ${lastOf(node)}`} title={`now ${lastOf(node)}`}>
            {pressureStretches(node.samples, fromMs, toMs).map(({ pressure, from, to }) => (
              <i key={from} class={pressure} style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }} />
            ))}
          </span>
        </div>
      ))}
    </figure>
  );
}

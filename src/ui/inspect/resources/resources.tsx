import './resources.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { type NodeResources, pressures } from '../../../core/wire/resources.ts';
import { clock, few } from '../../../observe/format.ts';
import { nearest } from '../../../observe/points.ts';
import { type ResourceMetric, resourceMetrics } from '../../../observe/resource-metrics.ts';
import { drawPlot, joined, workerSeries } from '../../charts/plot.ts';
import { usePlot } from '../../charts/use-plot.ts';
import type { ShownRun } from '../../host/model.ts';
import { useVisible } from '../../parts/visible.ts';
import { NodeDot, NodeName, nodeName } from '../node-names.tsx';
import {
  inOrder,
  nodeKey,
  pressureStretches,
  type ResourceLine,
  resourceLines,
  resourceWords,
} from './resources-series.ts';
import { ResourcesTable } from './resources-table.tsx';

/** From when to when, in seconds: all charts have the same stretch of time, whatever they know of it. */
type Range = readonly [number, number];

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
  const timesMs = nodes.flatMap(({ samples }) => [samples[0]?.atMs ?? 0, samples.at(-1)?.atMs ?? 0]);
  const range: Range = [Math.min(...timesMs) / 1000, Math.max(...timesMs) / 1000];
  const metrics = resourceMetrics.map((metric) => ({ metric, ...resourceLines(nodes, metric) }));
  const unknown = metrics.filter(({ lines }) => lines.length === 0).map(({ metric }) => metric.name.toLowerCase());
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
        {metrics
          .filter(({ lines }) => lines.length > 0)
          .map(({ metric, lines, silent }) => (
            <ResourceChart
              key={metric.name}
              metric={metric}
              lines={lines}
              silent={silent.map((node) => nodeName(run, node))}
              range={range}
              hoverX={hoverX}
              onHover={setHoverX}
            />
          ))}
        <Pressure nodes={nodes} run={run} range={range} />
      </div>
      {unknown.length > 0 && <p class="aside">This browser does not report: {unknown.join(', ')}.</p>}
      <ResourcesTable nodes={nodes} run={run} />
    </div>
  );
}

/** Seconds between marks that a clock has round words for. */
const stepsOfTime = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200];

/** Workers in their colour, the host in ink, all else grey; what the system tells is dashed. */
function nodeSeries({ node, worker, source }: NodeResources, colour: (name: string) => string): uPlot.Series {
  const own = workerSeries(worker ?? 0, colour);
  const stroke = worker !== null ? own.stroke : colour(node === 'host' ? '--ink' : '--muted');
  const isDashed = source !== 'tab' || (worker !== null && own.dash?.length);
  return { ...own, stroke, width: 1.5, dash: isDashed ? [4, 3] : [] };
}

interface ResourceChartProps {
  readonly metric: ResourceMetric;
  readonly lines: readonly ResourceLine[];
  readonly silent: readonly string[];
  readonly range: Range;
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

/** Each node's value at the pointer; of many nodes, the least and the most. */
function ResourceReadings({
  lines,
  metric: { unit },
  hoverX,
}: Pick<ResourceChartProps, 'lines' | 'metric' | 'hoverX'>) {
  const known = lines.flatMap((line) => {
    const value = reading(line, hoverX);
    return value === null ? [] : [{ node: line.node, value }];
  });
  const values = known.map(({ value }) => value);
  return (
    <p class="readings">
      {known.length > MAX_NAMED ? (
        <span>
          {resourceWords(unit, Math.min(...values))} to {resourceWords(unit, Math.max(...values))}
        </span>
      ) : (
        known.map(({ node, value }) => (
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
  const isVisible = useVisible(box);
  const data = () => joined(lines);
  const plot = usePlot(box, lines.map(({ node }) => nodeKey(node)).join(), (root) =>
    drawPlot(root, (colour) => ({
      syncKey: 'resources',
      canZoom: false,
      // The last mark of the time stands half beyond the end.
      padding: [8, 20, 0, 0],
      scales: {
        x: { time: false, range: () => [...latest.current] },
        y: { range: (_, __, highest) => [0, highest > 0 ? highest * 1.1 : 1] },
      },
      x: { size: 24, space: 64, incrs: stepsOfTime, values: (_, at) => at.map((x) => clock(x * 1000)) },
      y: { size: 60, space: 28, values: (_, at) => at.map((y) => resourceWords(unit, y)) },
      series: lines.map(({ node }) => nodeSeries(node, colour)),
      data: data(),
      onHover,
    })),
  );
  const size = [...range, ...lines.map(({ x }) => x.length)].join(' ');
  useEffect(() => {
    if (isVisible) plot.current?.setData(data());
  }, [isVisible && size]);
  return (
    <figure class="chart small">
      <figcaption title={hint}>
        <h3>{name}</h3>
        <ResourceReadings lines={lines} metric={metric} hoverX={hoverX} />
      </figcaption>
      <div
        class="plot"
        ref={box}
        role="img"
        aria-label={`${name} of each node over time; the table below has the numbers`}
      />
      {silent.length > 0 && <p class="aside">Not reported by {few(silent, MAX_NAMED)}.</p>}
    </figure>
  );
}

/** How hard pressed each node's machine is, as a strip over the same time; nothing where no browser reports it. */
function Pressure({ nodes, run, range }: { nodes: readonly NodeResources[]; run: ShownRun; range: Range }) {
  const known = nodes.filter(({ samples }) => samples.some(({ pressure }) => pressure !== null));
  if (known.length === 0) return null;
  const lastOf = ({ samples }: NodeResources) => samples.findLast(({ pressure }) => pressure !== null)?.pressure ?? '';
  return (
    <figure class="chart small pressure">
      <figcaption title="How close each machine is to running out of processor time, by its browser’s estimate">
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
      {known.map((node) => (
        <div key={nodeKey(node)} class="strip-row">
          <span>
            <NodeName node={node} run={run} />
          </span>
          <span class="strip" role="img" aria-label={`now ${lastOf(node)}`} title={`now ${lastOf(node)}`}>
            {pressureStretches(node.samples, range[0] * 1000, range[1] * 1000).map(({ pressure, from, to }) => (
              <i key={from} class={pressure} style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }} />
            ))}
          </span>
        </div>
      ))}
    </figure>
  );
}

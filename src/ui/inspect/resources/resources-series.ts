import type { NodeResources, TimedSample } from '../../../core/wire/resources.ts';
import { bytes, percent } from '../../../observe/format.ts';
import { metricValues, type ResourceMetric } from '../../../observe/resource-metrics.ts';

/** A value of a metric with its unit. */
export const resourceWords = (unit: ResourceMetric['unit'], value: number): string =>
  unit === 'share' ? percent(value, 0) : `${bytes(value)}${unit === 'bytes/s' ? '/s' : ''}`;

/** Tells nodes apart, each side that one is seen from. */
export const nodeKey = ({ node, source }: NodeResources): string => `${node} ${source}`;

/** One node's line in one chart; times are seconds since the run began. */
export interface ResourceLine {
  readonly node: NodeResources;
  readonly x: readonly number[];
  readonly y: readonly (number | null)[];
}

/** Sorts nodes into those that tell a metric, with their lines, and those that do not. */
export function resourceLines(nodes: readonly NodeResources[], metric: ResourceMetric) {
  const all = nodes.map((node) => {
    return { node, x: node.samples.map(({ atMs }) => atMs / 1000), y: metricValues(node.samples, metric) };
  });
  const tells = (line: ResourceLine) => line.y.some((value) => value !== null);
  return { lines: all.filter(tells), silent: all.filter((line) => !tells(line)).map(({ node }) => node) };
}

/** The host first, workers by number, then whatever else was watched; the tab's own view before the system's. */
export function inOrder(nodes: readonly NodeResources[]): readonly NodeResources[] {
  const rank = ({ node, worker }: NodeResources) => (node === 'host' ? -1 : (worker ?? Number.POSITIVE_INFINITY));
  const byRank = (a: NodeResources, b: NodeResources) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b));
  return [...nodes].sort((a, b) => byRank(a, b) || Number(a.source !== 'tab') - Number(b.source !== 'tab'));
}

/** A stretch of time under one pressure, as parts of the whole time shown. */
export interface PressureStretch {
  readonly pressure: NonNullable<TimedSample['pressure']>;
  readonly from: number;
  readonly to: number;
}

/** A node's pressure as stretches over `fromMs` … `toMs`; each sample speaks for the time since the one before. */
export function pressureStretches(samples: readonly TimedSample[], fromMs: number, toMs: number): PressureStretch[] {
  const found: { pressure: PressureStretch['pressure']; from: number; to: number }[] = [];
  const part = (atMs: number) => Math.min(1, Math.max(0, (atMs - fromMs) / Math.max(1, toMs - fromMs)));
  for (const [at, { atMs, pressure }] of samples.entries()) {
    if (pressure === null) continue;
    const from = part(samples[at - 1]?.atMs ?? atMs);
    const last = found.at(-1);
    if (last?.pressure === pressure && last.to === from) last.to = part(atMs);
    else found.push({ pressure, from, to: part(atMs) });
  }
  return found;
}

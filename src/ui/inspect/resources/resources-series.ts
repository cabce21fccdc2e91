import type { NodeResources, TimedSample } from '../../../core/wire/resources.ts';

/** What is charted of a node's resources. */
export interface ResourceMetric {
  readonly name: string;
  readonly hint: string;
  readonly unit: 'share' | 'bytes' | 'bytes/s';
  /** A value for each sample; null where it is not told, or not known yet. */
  read(samples: readonly TimedSample[]): (number | null)[];
}

/** Between each two looks at a total: how fast it grew. Null for the first, and where it was counted anew. */
export function ratesOf(
  samples: readonly TimedSample[],
  read: (sample: TimedSample) => number | null,
): (number | null)[] {
  return samples.map((sample, at) => {
    const before = samples[at - 1];
    const [now, then] = [read(sample), before ? read(before) : null];
    if (now === null || then === null || before === undefined) return null;
    const tookMs = sample.atMs - before.atMs;
    return now < then || tookMs <= 0 ? null : ((now - then) / tookMs) * 1000;
  });
}

const told = (read: (sample: TimedSample) => number | null) => (samples: readonly TimedSample[]) => samples.map(read);
const rate = (read: (sample: TimedSample) => number | null) => (samples: readonly TimedSample[]) =>
  ratesOf(samples, read);

export const resourceMetrics: readonly ResourceMetric[] = [
  {
    name: 'Busy',
    hint: 'The part of the time in which the thread that computes, or serves, was at it',
    unit: 'share',
    read: told(({ busy }) => busy),
  },
  {
    name: 'Processor',
    hint: '100 % is one core, all the time; only the operating system tells',
    unit: 'share',
    read: told(({ cpu }) => cpu),
  },
  { name: 'Memory', hint: 'In use when looked at', unit: 'bytes', read: told(({ memoryBytes }) => memoryBytes) },
  { name: 'Network out', hint: 'Sent, per second', unit: 'bytes/s', read: rate(({ sentBytes }) => sentBytes) },
  {
    name: 'Network in',
    hint: 'Received, per second',
    unit: 'bytes/s',
    read: rate(({ receivedBytes }) => receivedBytes),
  },
  {
    name: 'Disk reads',
    hint: 'Per second; only the operating system tells',
    unit: 'bytes/s',
    read: rate(({ readBytes }) => readBytes),
  },
  {
    name: 'Disk writes',
    hint: 'Per second; only the operating system tells',
    unit: 'bytes/s',
    read: rate(({ writtenBytes }) => writtenBytes),
  },
  {
    name: 'Storage',
    hint: 'Kept by this site in the browser',
    unit: 'bytes',
    read: told(({ storageBytes }) => storageBytes),
  },
];

/** One node's line in one chart; times are seconds since the run began. */
export interface ResourceLine {
  readonly node: NodeResources;
  readonly x: readonly number[];
  readonly y: readonly (number | null)[];
}

/** The lines of a metric, and the nodes that do not tell it. */
export interface ResourceLines {
  readonly lines: readonly ResourceLine[];
  readonly silent: readonly NodeResources[];
}

/** Sorts nodes into those that tell a metric, with their lines, and those that do not. */
export function resourceLines(nodes: readonly NodeResources[], { read }: ResourceMetric): ResourceLines {
  const all = nodes.map((node) => ({ node, x: node.samples.map(({ atMs }) => atMs / 1000), y: read(node.samples) }));
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

import type { NodeResources, TimedSample } from '../../core/resources.ts';
import { type Measured, measured } from '../measured.ts';
import type { SettingSummary } from '../summary.ts';

type Total = 'sentBytes' | 'receivedBytes' | 'readBytes' | 'writtenBytes';

/** What one node used in a setting, over its repeats, as one source saw it. */
export interface NodeUse {
  readonly node: string;
  readonly worker: number | null;
  readonly source: NodeResources['source'];
  readonly cpuMean: Measured | null;
  readonly cpuMax: number | null;
  readonly busyMean: Measured | null;
  readonly memoryMax: number | null;
  readonly sentPerSecond: Measured | null;
  readonly receivedPerSecond: Measured | null;
  readonly readBytes: Measured | null;
  readonly writtenBytes: Measured | null;
  readonly storageMax: number | null;
}

/** The nodes of a setting in the order they were listed. */
export function nodeUses({ reports }: Pick<SettingSummary, 'reports'>): NodeUse[] {
  const all = reports.flatMap(({ resources }) => resources).filter(({ samples }) => samples.length > 0);
  const id = ({ node, source }: NodeResources) => `${node}\n${source}`;
  return [...new Set(all.map(id))].map((each) => nodeUse(all.filter((one) => id(one) === each)));
}

function nodeUse(repeats: readonly NodeResources[]): NodeUse {
  const { node, worker, source } = repeats[0] as NodeResources;
  const fold = (read: (samples: readonly TimedSample[]) => number | null) =>
    measured(repeats.map(({ samples }) => read(samples)));
  const highest = (read: (sample: TimedSample) => number | null) =>
    measured(repeats.flatMap(({ samples }) => samples.map(read)))?.max ?? null;
  return {
    node,
    worker,
    source,
    cpuMean: fold((samples) => meanOf(samples, ({ cpu }) => cpu)),
    cpuMax: highest(({ cpu }) => cpu),
    busyMean: fold((samples) => meanOf(samples, ({ busy }) => busy)),
    memoryMax: highest(({ memoryBytes }) => memoryBytes),
    sentPerSecond: fold((samples) => perSecond(samples, 'sentBytes')),
    receivedPerSecond: fold((samples) => perSecond(samples, 'receivedBytes')),
    readBytes: fold((samples) => growth(samples, 'readBytes')?.bytes ?? null),
    writtenBytes: fold((samples) => growth(samples, 'writtenBytes')?.bytes ?? null),
    storageMax: highest(({ storageBytes }) => storageBytes),
  };
}

/** Each sample speaks for the time since the one before; the first, of whose time nothing is known, counts if it is alone. */
function meanOf(samples: readonly TimedSample[], read: (sample: TimedSample) => number | null): number | null {
  let [sum, totalMs] = [0, 0];
  samples.forEach((sample, index) => {
    const before = samples[index - 1];
    const value = read(sample);
    if (before === undefined || value === null) return;
    sum += value * (sample.atMs - before.atMs);
    totalMs += sample.atMs - before.atMs;
  });
  return totalMs > 0 ? sum / totalMs : (samples.map(read).find((value) => value !== null) ?? null);
}

/** How much a total grew between the first and the last time it was told. */
function growth(samples: readonly TimedSample[], key: Total): { bytes: number; seconds: number } | null {
  const told = samples.filter((sample) => sample[key] !== null);
  const [first, last] = [told[0], told.at(-1)];
  if (first === undefined || last === undefined || first === last) return null;
  return { bytes: (last[key] ?? 0) - (first[key] ?? 0), seconds: (last.atMs - first.atMs) / 1000 };
}

function perSecond(samples: readonly TimedSample[], key: Total): number | null {
  const grown = growth(samples, key);
  return grown === null || grown.seconds <= 0 ? null : grown.bytes / grown.seconds;
}

/** CPU (1 is one core) and network, both ways, of the average worker of a setting; by the operating system where it tells. */
export function workerUse(setting: Pick<SettingSummary, 'reports'>): {
  cpu: Measured | null;
  megabytesPerSecond: Measured | null;
} {
  const uses = nodeUses(setting).filter(({ worker }) => worker !== null);
  const bySystem = uses.filter(({ source, cpuMean }) => source === 'process' && cpuMean !== null);
  const seen = bySystem.length > 0 ? bySystem : uses;
  const network = seen.map(({ sentPerSecond, receivedPerSecond }) =>
    sentPerSecond === null || receivedPerSecond === null ? null : (sentPerSecond.mean + receivedPerSecond.mean) / 1e6,
  );
  return { cpu: overNodes(seen.map(({ cpuMean }) => cpuMean?.mean ?? null)), megabytesPerSecond: overNodes(network) };
}

/** A mean over nodes has no spread over repeats to tell. */
function overNodes(values: readonly (number | null)[]): Measured | null {
  const all = measured(values);
  return all && { ...all, spread: null };
}

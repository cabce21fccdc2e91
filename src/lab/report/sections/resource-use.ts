import type { NodeResources, TimedSample } from '../../../core/wire/resources.ts';
import type { RunReport } from '../../../observe/run-report.ts';
import { type Measured, measured } from '../../measured.ts';
import type { SettingSummary } from '../../summary.ts';

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

/** What one node told in one run, and when that run trained. */
interface Watched extends NodeResources {
  readonly window: TrainingWindow;
}

/** From when to when a run trained, in milliseconds since it began, as resources are timed: workers come and load data before. */
interface TrainingWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Null if nothing was trained. */
export function trainingWindow({ startedAt, series }: Pick<RunReport, 'startedAt' | 'series'>): TrainingWindow | null {
  const [first, last] = [series.train[0], series.train.at(-1)];
  if (first === undefined || last === undefined) return null;
  const beganMs = Date.parse(startedAt);
  return { fromMs: first.wallMs - first.elapsedMs - beganMs, toMs: last.wallMs - beganMs };
}

const always: TrainingWindow = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY };

/** The nodes of a setting in the order they were listed. Shares and rates are of the time of training; the rest is of the whole run. */
export function nodeUses({ reports }: Pick<SettingSummary, 'reports'>): NodeUse[] {
  const all = reports.flatMap((report) =>
    report.resources.map((one): Watched => ({ ...one, window: trainingWindow(report) ?? always })),
  );
  const known = all.filter(({ samples }) => samples.length > 0);
  const id = ({ node, source }: NodeResources) => `${node}\n${source}`;
  return [...new Set(known.map(id))].map((each) => nodeUse(known.filter((one) => id(one) === each)));
}

function nodeUse(repeats: readonly Watched[]): NodeUse {
  const { node, worker, source } = repeats[0] as Watched;
  const fold = (read: (node: Watched) => number | null) => measured(repeats.map(read));
  const highest = (read: (sample: TimedSample) => number | null, of: (node: Watched) => readonly TimedSample[]) =>
    measured(repeats.flatMap((told) => of(told).map(read)))?.max ?? null;
  const whole = ({ samples }: Watched) => samples;
  return {
    node,
    worker,
    source,
    cpuMean: fold((told) => meanOf(told, ({ cpu }) => cpu)),
    cpuMax: highest(({ cpu }) => cpu, whileTraining),
    busyMean: fold((told) => meanOf(told, ({ busy }) => busy)),
    memoryMax: highest(({ memoryBytes }) => memoryBytes, whole),
    sentPerSecond: fold((told) => perSecond(told, 'sentBytes')),
    receivedPerSecond: fold((told) => perSecond(told, 'receivedBytes')),
    readBytes: fold(({ samples }) => growth(samples, 'readBytes')),
    writtenBytes: fold(({ samples }) => growth(samples, 'writtenBytes')),
    storageMax: highest(({ storageBytes }) => storageBytes, whole),
  };
}

/** How long the run trained in the time that a sample speaks for: that since the one before. Of the first's time nothing is known. */
function trainedMs({ samples, window: { fromMs, toMs } }: Watched, index: number): number {
  const [before, sample] = [samples[index - 1], samples[index]];
  if (before === undefined || sample === undefined) return 0;
  return Math.max(0, Math.min(sample.atMs, toMs) - Math.max(before.atMs, fromMs));
}

/** Samples that speak of training for the most part; all, where a run was too short for any. */
function whileTraining(node: Watched): readonly TimedSample[] {
  const { samples } = node;
  const some = samples.filter((sample, index) => {
    const before = samples[index - 1];
    return before !== undefined && trainedMs(node, index) >= (sample.atMs - before.atMs) / 2;
  });
  return some.length > 0 ? some : samples;
}

function meanOf(told: Watched, read: (sample: TimedSample) => number | null): number | null {
  let [sum, totalMs] = [0, 0];
  told.samples.forEach((sample, index) => {
    const value = read(sample);
    if (value === null) return;
    sum += value * trainedMs(told, index);
    totalMs += trainedMs(told, index);
  });
  return totalMs > 0 ? sum / totalMs : (told.samples.map(read).findLast((value) => value !== null) ?? null);
}

/** How much a total grew between the first and the last time it was told. */
function growth(samples: readonly TimedSample[], key: Total): number | null {
  const told = samples.flatMap((sample) => sample[key] ?? []);
  return told.length < 2 ? null : (told.at(-1) ?? 0) - (told[0] ?? 0);
}

/** While training: what was told last before it is what it began with, and first after it, what it ended with. */
function perSecond({ samples, window: { fromMs, toMs } }: Watched, key: Total): number | null {
  const told = samples.filter((sample) => sample[key] !== null);
  const first = told.findLast(({ atMs }) => atMs <= fromMs) ?? told[0];
  const last = told.find(({ atMs }) => atMs >= toMs) ?? told.at(-1);
  if (first === undefined || last === undefined) return null;
  const ms = Math.min(last.atMs, toMs) - Math.max(first.atMs, fromMs);
  return ms > 0 ? (((last[key] ?? 0) - (first[key] ?? 0)) * 1000) / ms : null;
}

/** CPU (1 is one core) and network, both ways, of the average worker of a setting; by the operating system where it tells. */
export function workerUse(setting: Pick<SettingSummary, 'reports'>): {
  cpu: Measured | null;
  megabytesPerSecond: Measured | null;
} {
  const uses = nodeUses(setting).filter(({ worker }) => worker !== null);
  // The system tells of a process's CPU, only its tab of its links.
  const average = (read: (use: NodeUse) => number | null) => {
    const told = uses.filter((use) => read(use) !== null);
    const bySystem = told.filter(({ source }) => source === 'process');
    return overNodes((bySystem.length > 0 ? bySystem : told).map(read));
  };
  return {
    cpu: average(({ cpuMean }) => cpuMean?.mean ?? null),
    megabytesPerSecond: average(({ sentPerSecond, receivedPerSecond }) =>
      sentPerSecond === null || receivedPerSecond === null ? null : (sentPerSecond.mean + receivedPerSecond.mean) / 1e6,
    ),
  };
}

/** A mean over nodes has no spread over repeats to tell. */
function overNodes(values: readonly (number | null)[]): Measured | null {
  const all = measured(values);
  return all && { ...all, spread: null };
}

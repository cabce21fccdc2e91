import type { NodeResources, ResourceSample, TimedSample } from '../../../core/wire/resources.ts';
import type { RunReport } from '../../../observe/run-report.ts';
import { type Measured, measured } from '../../measured.ts';
import type { SettingSummary } from '../../summary.ts';

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

/** What one node used in one run, and when that run trained. */
interface Watched extends NodeResources {
  readonly window: TrainingWindow;
}

/** One node of a setting over its repeats, as one source saw it. */
export interface NodeUse extends Pick<NodeResources, 'node' | 'worker' | 'source'> {
  readonly repeats: readonly Watched[];
}

const always: TrainingWindow = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY };

/** The nodes of a setting in the order they were listed. */
export function nodeUses({ reports }: Pick<SettingSummary, 'reports'>): NodeUse[] {
  const all = reports.flatMap((report) => {
    const window = trainingWindow(report) ?? always;
    return report.resources.flatMap((one): Watched[] => (one.samples.length > 0 ? [{ ...one, window }] : []));
  });
  const id = ({ node, source }: Watched) => `${node}\n${source}`;
  return [...new Set(all.map(id))].map((each) => {
    const repeats = all.filter((one) => id(one) === each);
    return { ...(repeats[0] as Watched), repeats };
  });
}

/** How long the run trained in the time that a sample speaks for: that since the one before. Of the first's time nothing is known. */
function trainedMs({ samples, window: { fromMs, toMs } }: Watched, index: number): number {
  const [before, sample] = [samples[index - 1], samples[index]];
  if (before === undefined || sample === undefined) return 0;
  return Math.max(0, Math.min(sample.atMs, toMs) - Math.max(before.atMs, fromMs));
}

/** Samples that speak of training for the most part; all, where a run was too short for any. */
function whileTraining(watched: Watched): readonly TimedSample[] {
  const { samples } = watched;
  const some = samples.filter((sample, index) => {
    const before = samples[index - 1];
    return before !== undefined && trainedMs(watched, index) >= (sample.atMs - before.atMs) / 2;
  });
  return some.length > 0 ? some : samples;
}

/** The highest value of all repeats: of the processor while training, of the rest in the whole run. */
export function highest({ repeats }: NodeUse, key: 'cpu' | 'memoryBytes' | 'storageBytes'): number | null {
  const samples = repeats.flatMap((watched) => (key === 'cpu' ? whileTraining(watched) : watched.samples));
  return measured(samples.map((sample) => sample[key]))?.max ?? null;
}

/** A share of the time of training. */
export const meanShare = ({ repeats }: NodeUse, key: 'cpu' | 'busy'): Measured | null =>
  measured(
    repeats.map((watched) => {
      let [sum, totalMs] = [0, 0];
      watched.samples.forEach((sample, index) => {
        const value = sample[key];
        if (value === null) return;
        sum += value * trainedMs(watched, index);
        totalMs += trainedMs(watched, index);
      });
      return totalMs > 0 ? sum / totalMs : (watched.samples.findLast((sample) => sample[key] !== null)?.[key] ?? null);
    }),
  );

type Total = keyof Pick<ResourceSample, 'sentBytes' | 'receivedBytes' | 'readBytes' | 'writtenBytes'>;

/** How much a total grew between the first and the last time it was told. */
export const growth = ({ repeats }: NodeUse, key: Total): Measured | null =>
  measured(
    repeats.map(({ samples }) => {
      const known = samples.flatMap((sample) => sample[key] ?? []);
      return known.length < 2 ? null : (known.at(-1) ?? 0) - (known[0] ?? 0);
    }),
  );

/** While training: what was told last before it is what it began with, and first after it, what it ended with. */
export const perSecond = ({ repeats }: NodeUse, key: Total): Measured | null =>
  measured(
    repeats.map(({ samples, window: { fromMs, toMs } }) => {
      const known = samples.filter((sample) => sample[key] !== null);
      const first = known.findLast(({ atMs }) => atMs <= fromMs) ?? known[0];
      const last = known.find(({ atMs }) => atMs >= toMs) ?? known.at(-1);
      if (first === undefined || last === undefined) return null;
      const ms = Math.min(last.atMs, toMs) - Math.max(first.atMs, fromMs);
      return ms > 0 ? (((last[key] ?? 0) - (first[key] ?? 0)) * 1000) / ms : null;
    }),
  );

/** A number of the average worker of a setting; by the operating system where it tells. Over nodes there is no spread. */
function overWorkers(setting: Pick<SettingSummary, 'reports'>, read: (use: NodeUse) => number | null): Measured | null {
  const known = nodeUses(setting).filter((use) => use.worker !== null && read(use) !== null);
  // The system tells of a process's CPU, only its tab of its links.
  const bySystem = known.filter(({ source }) => source === 'process');
  const all = measured((bySystem.length > 0 ? bySystem : known).map(read));
  return all && { ...all, spread: null };
}

/** The processor of the average worker; 1 is one core. */
export const workerCpu = (setting: Pick<SettingSummary, 'reports'>): Measured | null =>
  overWorkers(setting, (use) => meanShare(use, 'cpu')?.mean ?? null);

/** The network of the average worker, both ways, in megabytes per second. */
export const workerMegabytesPerSecond = (setting: Pick<SettingSummary, 'reports'>): Measured | null =>
  overWorkers(setting, (use) => {
    const [sent, received] = [perSecond(use, 'sentBytes'), perSecond(use, 'receivedBytes')];
    return sent === null || received === null ? null : (sent.mean + received.mean) / 1e6;
  });

import type { Experiment } from '../experiment/experiment.ts';
import { resolveExperiment } from '../models/plan.ts';
import type { Bottleneck } from '../observe/bottleneck/bottleneck.ts';
import type { Bound } from '../observe/bottleneck/shares.ts';
import type { RunReport, WorkerReport } from '../observe/run-report.ts';
import { type Measured, measured } from './measured.ts';
import type { SweepRun } from './sweep.ts';
import type { SweepOutcome, SweepResult } from './sweep-result.ts';

type Measures<Of> = Readonly<Record<string, (of: Of) => number | null>>;
type Folded<Table> = { readonly [Key in keyof Table]: Measured | null };

/** Each quantity of a table over the repeats. */
const folded = <Of, Table extends Measures<Of>>(table: Table, of: readonly Of[]) =>
  Object.fromEntries(Object.entries(table).map(([key, read]) => [key, measured(of.map(read))])) as Folded<Table>;

const ratio = (part: number, whole: number): number | null => (whole > 0 ? part / whole : null);

const ofRun = {
  steps: ({ steps }) => steps,
  seconds: ({ wallSeconds }) => wallSeconds,
  /** Of those runs that ended because the loss was reached. */
  secondsToTarget: ({ stopReason, wallSeconds }) => (stopReason === 'loss' ? wallSeconds : null),
  examples: ({ examples }) => examples,
  /** How often the training set was gone through. */
  epochs: epochsOf,
  examplesPerSecond: ({ examples, wallSeconds }) => ratio(examples, wallSeconds),
  epochSeconds: (report) => ratio(report.wallSeconds, epochsOf(report) ?? 0),
  /** Of the clock, not of one worker: asynchronous workers take their steps side by side. */
  stepSeconds: ({ wallSeconds, steps }) => ratio(wallSeconds, steps),
  accuracy: ({ testAccuracy }) => testAccuracy,
  testLoss: ({ testLoss }) => testLoss,
  /** Null where there are not just two classes. */
  auc: ({ series }) => series.test.at(-1)?.auc ?? null,
} satisfies Measures<RunReport>;

const ofWorker = {
  steps: ({ steps }) => steps,
  stale: ({ stale }) => stale,
  computeSeconds: ({ phases }) => phases.computeMs / 1000,
  examples: ({ examples }) => examples,
  /** On its own batches at the end; null where nobody counts. */
  accuracy: ({ curve }) => curve.at(-1)?.accuracy ?? null,
  loss: ({ curve }) => curve.at(-1)?.loss ?? null,
} satisfies Measures<WorkerReport>;

/** One worker of a setting, over its repeats. */
export interface WorkerSummary extends Folded<typeof ofWorker> {
  readonly worker: number;
  /** What it was called, in every repeat it took part in. */
  readonly names: readonly string[];
  readonly backends: readonly string[];
}

/** One setting of a sweep with its repeats folded. Only runs that trained to their end are in the numbers. */
export interface SettingSummary extends Folded<typeof ofRun> {
  readonly label: string;
  /** Of its first repeat: the others differ in the seed. */
  readonly experiment: Experiment;
  /** Trained to their end, in the order of repeats. */
  readonly reports: readonly RunReport[];
  readonly failures: readonly SweepOutcome[];
  readonly missing: readonly SweepRun[];
  /** What most of its runs were bound by, as the first of those says it, and how many said so. */
  readonly bottleneck: (Bottleneck & { readonly agreeing: number }) | null;
  readonly workers: readonly WorkerSummary[];
}

/** How many workers a run really had: single has one whatever it says. */
export const workersOf = ({ strategy, workers }: Experiment): number => (strategy === 'single' ? 1 : workers);

/** Whether all went through as many examples of their training sets, or nearly: what they came to is then comparable. */
export function isAsLong(settings: readonly SettingSummary[]): boolean {
  const epochs = settings.flatMap((setting) => setting.epochs?.mean ?? []);
  return Math.max(...epochs) <= Math.min(...epochs) * 1.02;
}

const byKey = new Intl.Collator('en', { numeric: true });

/** The settings of a sweep in the order of their first runs, those that are still to come included. */
export function summarize({ outcomes, missing }: SweepResult): SettingSummary[] {
  const runs: readonly SweepRun[] = [...outcomes, ...missing].sort((a, b) => byKey.compare(a.key, b.key));
  return [...new Set(runs.map(({ label }) => label))].map((label) => {
    const isOf = (run: SweepRun) => run.label === label;
    const first = runs.find(isOf) as SweepRun;
    return settingSummary(first, outcomes.filter(isOf), missing.filter(isOf));
  });
}

function settingSummary(
  { label, experiment }: SweepRun,
  outcomes: readonly SweepOutcome[],
  missing: readonly SweepRun[],
): SettingSummary {
  const done = outcomes.filter(({ failure, report }) => failure === null && report !== null);
  const reports = [...done].sort((a, b) => a.repeat - b.repeat).map(({ report }) => report as RunReport);
  return {
    ...folded(ofRun, reports),
    label,
    experiment,
    reports,
    failures: outcomes.filter((outcome) => !done.includes(outcome)),
    missing,
    bottleneck: commonBottleneck(reports),
    workers: workerSummaries(reports),
  };
}

function epochsOf({ experiment, examples }: RunReport): number | null {
  const trainCount = examplesPerEpoch(experiment);
  return trainCount === null ? null : ratio(examples, trainCount);
}

/** Null where this version no longer knows the model or the data, as in a file from another one. */
function examplesPerEpoch(experiment: Experiment): number | null {
  try {
    return resolveExperiment(experiment).trainCount;
  } catch {
    return null;
  }
}

function commonBottleneck(reports: readonly RunReport[]): SettingSummary['bottleneck'] {
  const all = reports.map(({ bottleneck }) => bottleneck).filter((bottleneck) => bottleneck !== null);
  const times = (bound: Bound) => all.filter((bottleneck) => bottleneck.bound === bound).length;
  let common: Bottleneck | null = null;
  for (const each of all) if (common === null || times(each.bound) > times(common.bound)) common = each;
  return common && { ...common, agreeing: times(common.bound) };
}

function workerSummaries(reports: readonly RunReport[]): WorkerSummary[] {
  const all = reports.flatMap(({ workers }) => workers);
  const numbers = [...new Set(all.map(({ worker }) => worker))].sort((a, b) => a - b);
  return numbers.map((worker) => {
    const own = all.filter((row) => row.worker === worker);
    return {
      ...folded(ofWorker, own),
      worker,
      names: [...new Set(own.map(({ name }) => name))],
      backends: [...new Set(own.map(({ backend }) => backend))],
    };
  });
}

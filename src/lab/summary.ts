import type { Experiment } from '../experiment/experiment.ts';
import { resolveExperiment } from '../models/plan.ts';
import type { Bottleneck } from '../observe/bottleneck/bottleneck.ts';
import type { Bound } from '../observe/bottleneck/shares.ts';
import type { RunReport, WorkerReport } from '../observe/run-report.ts';

import { type Measured, measured } from './measured.ts';
import type { SweepRun } from './sweep.ts';
import type { SweepOutcome, SweepResult } from './sweep-result.ts';

/** One worker of a setting, over its repeats. */
export interface WorkerSummary {
  readonly worker: number;
  /** What it was called, in every repeat it took part in. */
  readonly names: readonly string[];
  readonly backends: readonly string[];
  readonly steps: Measured | null;
  readonly stale: Measured | null;
  readonly computeSeconds: Measured | null;
  readonly examples: Measured | null;
  /** On its own batches at the end; null where nobody counts. */
  readonly accuracy: Measured | null;
  readonly loss: Measured | null;
}

/** One setting of a sweep with its repeats folded. Only runs that trained to their end are in the numbers. */
export interface SettingSummary {
  readonly label: string;
  /** Of its first repeat: the others differ in the seed. */
  readonly experiment: Experiment;
  /** Trained to their end, in the order of repeats. */
  readonly reports: readonly RunReport[];
  readonly failures: readonly SweepOutcome[];
  readonly missing: readonly SweepRun[];
  readonly steps: Measured | null;
  readonly seconds: Measured | null;
  /** Of those runs that ended because the loss was reached. */
  readonly secondsToTarget: Measured | null;
  readonly examples: Measured | null;
  /** How often the training set was gone through. */
  readonly epochs: Measured | null;
  readonly examplesPerSecond: Measured | null;
  readonly epochSeconds: Measured | null;
  /** Of the clock, not of one worker: asynchronous workers take their steps side by side. */
  readonly stepSeconds: Measured | null;
  readonly accuracy: Measured | null;
  readonly testLoss: Measured | null;
  /** Null where there are not just two classes. */
  readonly auc: Measured | null;
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
  const fold = (read: (report: RunReport) => number | null) => measured(reports.map(read));
  return {
    label,
    experiment,
    reports,
    failures: outcomes.filter((outcome) => !done.includes(outcome)),
    missing,
    steps: fold(({ steps }) => steps),
    seconds: fold(({ wallSeconds }) => wallSeconds),
    secondsToTarget: fold(({ stopReason, wallSeconds }) => (stopReason === 'loss' ? wallSeconds : null)),
    examples: fold(({ examples }) => examples),
    epochs: fold(epochsOf),
    examplesPerSecond: fold(({ examples, wallSeconds }) => ratio(examples, wallSeconds)),
    epochSeconds: fold(epochSeconds),
    stepSeconds: fold(({ wallSeconds, steps }) => ratio(wallSeconds, steps)),
    accuracy: fold(({ testAccuracy }) => testAccuracy),
    testLoss: fold(({ testLoss }) => testLoss),
    auc: fold(({ series }) => series.test.at(-1)?.auc ?? null),
    bottleneck: commonBottleneck(reports),
    workers: workerSummaries(reports),
  };
}

const ratio = (part: number, whole: number): number | null => (whole > 0 ? part / whole : null);

function epochsOf({ experiment, examples }: RunReport): number | null {
  const trainCount = examplesPerEpoch(experiment);
  return trainCount === null ? null : ratio(examples, trainCount);
}

function epochSeconds(report: RunReport): number | null {
  return ratio(report.wallSeconds, epochsOf(report) ?? 0);
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
    const fold = (read: (row: WorkerReport) => number | null) => measured(own.map(read));
    return {
      worker,
      names: [...new Set(own.map(({ name }) => name))],
      backends: [...new Set(own.map(({ backend }) => backend))],
      steps: fold(({ steps }) => steps),
      stale: fold(({ stale }) => stale),
      computeSeconds: fold(({ phases }) => phases.computeMs / 1000),
      examples: fold(({ examples }) => examples),
      accuracy: fold(({ curve }) => curve.at(-1)?.accuracy ?? null),
      loss: fold(({ curve }) => curve.at(-1)?.loss ?? null),
    };
  });
}

import type { Experiment, ExperimentKey } from '../experiment/experiment.ts';
import { textFile } from '../export/run-file.ts';
import { type RunFile, runFiles, type TrainedModel } from '../export/run-files.ts';
import { readReport } from '../observe/report-schema.ts';
import type { Machine } from '../observe/run-report.ts';
import { reportHtml } from './report/html.ts';
import { reportMarkdown } from './report/markdown.ts';
import type { TrainedRun } from './run-order.ts';
import type { Sweep, SweepRun } from './sweep.ts';
import type { SweepOutcome, SweepResult } from './sweep-result.ts';

/*
 * A lab as files: `sweep.json` says what it is, `runs/<key>/` has one run each, and the report is beside them. The command
 * line keeps them as a folder and goes on in one; the page packs the same into an archive.
 */

/** What all runs of a folder have in common; runs of anything else are not mixed with them. */
export interface LabSetting {
  /** As it is run: at its quick size, if that was asked for. */
  readonly sweep: Sweep;
  readonly isQuick: boolean;
  readonly host: 'tab' | 'relay';
  readonly backend: string;
  /** The path of the file that is their data, if one is. */
  readonly file: string | null;
}

/** What `sweep.json` holds. */
export interface SweepFile extends LabSetting {
  readonly format: 'manyhands-sweep/1';
  readonly startedAt: string;
}

/** What `runs/<key>/outcome.json` holds. */
export interface OutcomeFile extends SweepRun {
  readonly failure: string | null;
  /** What pages complained about. */
  readonly problems: readonly string[];
  readonly machine: Machine;
}

export const SWEEP_FILE = 'sweep.json';
export const OUTCOME_FILE = 'outcome.json';
export const runFolder = (key: string): string => `runs/${key}`;

const jsonFile = (path: string, value: SweepFile | OutcomeFile): RunFile =>
  textFile(path, `${JSON.stringify(value, null, 2)}\n`);

/** Says what the folder is. */
export const sweepFile = (setting: LabSetting, startedAt: string): RunFile =>
  jsonFile(SWEEP_FILE, { format: 'manyhands-sweep/1', ...setting, startedAt });

/** What is in the folder of one run. */
export function outcomeFiles(
  { report, ...outcome }: SweepOutcome,
  { model, problems, machine }: Omit<TrainedRun<TrainedModel>, 'report' | 'failure'>,
): RunFile[] {
  const about = jsonFile(OUTCOME_FILE, { ...outcome, problems, machine });
  return [about, ...(report === null ? [] : runFiles(report, model))];
}

/** The report as files: a page, a text, and the tables and pictures that it shows. */
export function reportFiles(result: SweepResult): RunFile[] {
  const { markdown, files } = reportMarkdown(result);
  return [
    ...files.map(({ path, text }) => textFile(path, text)),
    textFile('report.md', markdown),
    textFile('report.html', reportHtml(result)),
  ];
}

/** What was kept of a run, checked; null if it is not of this experiment or cannot be read, so that it is run again. */
export function keptOutcome(
  run: SweepRun,
  { report: kept, failure }: { readonly report: unknown; readonly failure: string | null },
): SweepOutcome | null {
  const report = readReport(kept);
  const isUsable = report === null ? failure !== null : isSame(report.experiment, run.experiment);
  return isUsable ? { ...run, report, failure } : null;
}

/** How many examples a file has is found out when it is read. */
const isSame = (a: Experiment, b: Experiment): boolean =>
  (Object.keys(a) as ExperimentKey[]).every(
    (key) => a[key] === b[key] || (b.data === 'file' && (key === 'examples' || key === 'entries')),
  );

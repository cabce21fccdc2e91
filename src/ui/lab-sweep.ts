import type { RunReport } from '../export/run-report.ts';
import { layOut } from '../lab/layout.ts';
import { quickened, type Sweep, type SweepRun } from '../lab/sweep.ts';
import type { SweepOutcome } from '../lab/sweep-result.ts';
import type { LabRunRecord } from '../store/labs.ts';
import { tabsNeeded } from './lab-run.ts';

/** A sweep at one of its sizes. */
export interface Choice {
  readonly sweep: Sweep;
  readonly isQuick: boolean;
  /** What the command line calls it: a preset, or a file. */
  readonly source: string;
}

/** A sweep that was begun. */
export interface Lab extends Choice {
  readonly id: string;
  readonly startedAtMs: number;
}

/** The runs of a choice. */
export type Plan =
  | {
      readonly ok: true;
      readonly runs: readonly SweepRun[];
      /** How often each setting is run. */
      readonly repeats: number;
      /** Beside this one, for the run that needs the most. */
      readonly mostTabs: number;
    }
  | { readonly ok: false; readonly problems: readonly string[] };

/** The sweep as it is run. */
export const sized = ({ sweep, isQuick }: Choice): Sweep => (isQuick ? quickened(sweep) : sweep);

/** Lays a choice out, or says what cannot be. */
export function planOf(choice: Choice): Plan {
  try {
    const sweep = sized(choice);
    const runs = layOut(sweep);
    const mostTabs = Math.max(...runs.map((run) => tabsNeeded(run, sweep.hostTrains)));
    return { ok: true, runs, repeats: sweep.repeats, mostTabs };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { ok: false, problems: error.message.split('\n') };
  }
}

/** What was kept of a run, or that a version kept it which said things differently. */
export function outcomeOf(run: SweepRun, { report, failure }: LabRunRecord): SweepOutcome {
  const format: RunReport['format'] = 'manyhands-run/2';
  const isKnown = report === null || (report as Partial<RunReport>).format === format;
  if (!isKnown) return { ...run, report: null, failure: 'kept by another version of this page: run it again' };
  return { ...run, report: report as RunReport | null, failure };
}

/** What repeats a lab, typed at a command line. */
export const commandOf = ({ source, sweep, isQuick }: Choice): string =>
  `npm run lab -- ${/^[\w.-]+$/.test(source) ? source : `'${source.replaceAll("'", `'\\''`)}'`}${isQuick ? ' --quick' : ''} --out ${sweep.name}`;

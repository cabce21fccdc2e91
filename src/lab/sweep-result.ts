import type { Machine, RunReport } from '../observe/run-report.ts';
import type { Sweep, SweepRun } from './sweep.ts';

/** What became of one run of a sweep. */
export interface SweepOutcome extends SweepRun {
  /** Null if it failed before there was anything to report. */
  readonly report: RunReport | null;
  /** Null if it trained to its end. */
  readonly failure: string | null;
}

/** A sweep as far as it has come, in the order of its runs: all that a report is made of. */
export interface SweepResult {
  readonly sweep: Sweep;
  readonly isQuick: boolean;
  /** What repeats it, typed at a command line. */
  readonly command: string;
  readonly machine: Machine;
  readonly startedAt: string;
  readonly outcomes: readonly SweepOutcome[];
  /** Runs that are still to come. */
  readonly missing: readonly SweepRun[];
}

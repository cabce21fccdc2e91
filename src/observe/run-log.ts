import type { RunMoment } from '../core/server/progress.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { RunNumbers } from './run-numbers.ts';
import type { Recorded } from './run-report.ts';

/** A run's curves and what else was recorded of it, live or from the store. */
export interface RunLog extends Recorded {
  readonly id: string;
  readonly experiment: Experiment;
  readonly startedAtMs: number;
  /** What it came to; null while it goes on. */
  readonly summary: RunNumbers | null;
  /** The run and its workers when it was last kept; null before. */
  readonly end: RunMoment | null;
}

import type { Experiment } from '../../experiment/experiment.ts';
import type { LeasesSnapshot } from './leases.ts';
import type { MemberRecord } from './member.ts';
import type { ServerCounters, TestPoint, TrainPoint } from './progress.ts';

type CurveSnapshot<Point> = { points: readonly Point[]; stride: number; seen: number };

/** A run at rest, without its numbers. */
export interface RunSnapshot {
  readonly id: string;
  readonly experiment: Experiment;
  readonly schema: string;
  readonly version: number;
  readonly elapsedMs: number;
  readonly startedAtMs: number;
  readonly leases: LeasesSnapshot;
  readonly counters: ServerCounters;
  readonly train: CurveSnapshot<TrainPoint>;
  readonly test: CurveSnapshot<TestPoint>;
}

/** All that is needed to go on with a run. */
export interface SavedRun {
  readonly head: RunSnapshot;
  /** Null if `arrays` are whole; otherwise they have the values at these keys, and all others are zero. */
  readonly keys: Uint32Array | null;
  /** Parameters and optimizer state. */
  readonly arrays: readonly Float32Array[];
}

/** A run, and who took part in it. */
export interface SavedServer extends SavedRun {
  readonly members: readonly MemberRecord[];
}

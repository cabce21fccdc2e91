import type { LeasesSnapshot } from './leases.ts';
import type { MemberRecord } from './member.ts';
import type { RunState, TestPoint, TrainPoint } from './progress.ts';

type CurveSnapshot<Point> = { points: readonly Point[]; stride: number; seen: number };

type Kept = 'id' | 'experiment' | 'version' | 'elapsedMs' | 'startedAtMs' | 'counters';

/** A run at rest, without its numbers. */
export interface RunSnapshot extends Pick<RunState, Kept> {
  readonly schema: string;
  readonly leases: LeasesSnapshot;
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

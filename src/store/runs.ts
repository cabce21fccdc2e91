import type { RunMoment, TestPoint, TrainPoint, WorkerCurve } from '../core/server/progress.ts';
import type { NodeResources } from '../core/wire/resources.ts';
import { defaultExperiment, type Experiment } from '../experiment/experiment.ts';
import type { RunNumbers } from '../observe/run-numbers.ts';
import type { StepProfile, Timeline } from '../observe/step-trace.ts';
import { database } from './database.ts';

/** The curves of a run and what it came to, as kept for comparison with later ones. */
export interface RunRecord {
  readonly id: string;
  readonly experiment: Experiment;
  readonly startedAtMs: number;
  readonly summary: RunNumbers | null;
  readonly end: RunMoment | null;
  readonly train: readonly TrainPoint[];
  readonly test: readonly TestPoint[];
  readonly workerCurves: readonly WorkerCurve[];
  readonly resources: readonly NodeResources[];
  readonly timeline: Timeline;
  readonly profile: StepProfile | null;
}

const MAX_RUNS = 50;

/** Keeps a run's curves, in place of what was kept of it before; the oldest run goes when there are more than 50. */
export async function saveRun(run: RunRecord): Promise<void> {
  const tx = (await database()).transaction('runs', 'readwrite', { durability: 'relaxed' });
  await tx.store.put(run);
  let kept = 0;
  for (let cursor = await tx.store.index('age').openKeyCursor(null, 'prev'); cursor; cursor = await cursor.continue()) {
    if (kept++ >= MAX_RUNS) await tx.store.delete(cursor.primaryKey);
  }
  await tx.done;
}

/** Every kept run, newest first. */
export async function listRuns(): Promise<RunRecord[]> {
  return (await (await database()).getAllFromIndex('runs', 'age')).reverse().map(upToDate);
}

/** Runs kept before a setting existed were made with what is usual now; what was not kept then is not there. */
const upToDate = (run: RunRecord): RunRecord => ({
  ...notKept,
  ...run,
  experiment: { ...defaultExperiment, ...run.experiment },
});

const notKept = {
  summary: null,
  end: null,
  workerCurves: [],
  resources: [],
  timeline: { steps: [], spans: [] },
  profile: null,
};

/** Forgets a run. */
export async function deleteRun(id: string): Promise<void> {
  await (await database()).delete('runs', id);
}

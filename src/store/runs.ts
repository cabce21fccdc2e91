import { defaultExperiment } from '../experiment/experiment.ts';
import type { RunLog } from '../observe/run-log.ts';
import { database } from './database.ts';

const MAX_RUNS = 50;

/** Keeps a run's curves, in place of what was kept of it before; the oldest run goes when there are more than 50. */
export async function saveRun(run: RunLog): Promise<void> {
  const tx = (await database()).transaction('runs', 'readwrite', { durability: 'relaxed' });
  await tx.store.put(run);
  let kept = 0;
  for (let cursor = await tx.store.index('age').openKeyCursor(null, 'prev'); cursor; cursor = await cursor.continue()) {
    if (kept++ >= MAX_RUNS) await tx.store.delete(cursor.primaryKey);
  }
  await tx.done;
}

/** Every kept run, newest first; a setting that did not exist when it was kept is as usual. */
export async function listRuns(): Promise<RunLog[]> {
  const runs = await (await database()).getAllFromIndex('runs', 'age');
  return runs.reverse().map((run) => ({ ...run, experiment: { ...defaultExperiment, ...run.experiment } }));
}

/** Forgets a run. */
export async function deleteRun(id: string): Promise<void> {
  await (await database()).delete('runs', id);
}

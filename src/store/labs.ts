import { database } from './database.ts';

/** A sweep that was begun on this device. */
export interface LabRecord {
  readonly id: string;
  readonly startedAtMs: number;
  readonly isQuick: boolean;
  /** The command line's words for it: a preset's or a file's name. */
  readonly source: string;
  /** Plain data, to be checked by whoever reads it. */
  readonly sweep: unknown;
}

/** What became of one run of a lab: kept whole, under the lab's id and the run's key, so that no two can mix. */
export interface LabRunRecord {
  readonly lab: string;
  readonly key: string;
  /** Plain data, to be checked by whoever reads it; null if there is nothing to report. */
  readonly report: unknown;
  /** Null if it trained to its end. */
  readonly failure: string | null;
}

/** Keeps a lab, in place of what was kept under its id before. */
export async function saveLab(lab: LabRecord): Promise<void> {
  await (await database()).put('labs', lab);
}

/** Every kept lab, newest first. */
export async function listLabs(): Promise<LabRecord[]> {
  return (await (await database()).getAllFromIndex('labs', 'age')).reverse();
}

/** The lab of this id, if it is kept. */
export async function readLab(id: string): Promise<LabRecord | undefined> {
  return (await database()).get('labs', id);
}

/** Keeps one run, in place of an earlier try of the same; false if its lab was deleted meanwhile. */
export async function saveLabRun(run: LabRunRecord): Promise<boolean> {
  const tx = (await database()).transaction(['labs', 'lab-runs'], 'readwrite');
  const isKept = (await tx.objectStore('labs').getKey(run.lab)) !== undefined;
  if (isKept) await tx.objectStore('lab-runs').put(run);
  await tx.done;
  return isKept;
}

/** The runs of one lab, by key. */
export async function readLabRuns(lab: string): Promise<LabRunRecord[]> {
  return (await database()).getAll('lab-runs', ofLab(lab));
}

/** Forgets a lab and all its runs. */
export async function deleteLab(id: string): Promise<void> {
  const tx = (await database()).transaction(['labs', 'lab-runs'], 'readwrite');
  await Promise.all([tx.objectStore('labs').delete(id), tx.objectStore('lab-runs').delete(ofLab(id)), tx.done]);
}

/** An empty array is greater than every string. */
const ofLab = (lab: string) => IDBKeyRange.bound([lab], [lab, []]);

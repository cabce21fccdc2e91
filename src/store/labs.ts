import * as z from 'zod/mini';
import { database } from './database.ts';

/** The file that a lab's runs take their examples from, and how it is read. */
const fileSchema = z.readonly(
  z.object({
    name: z.string(),
    sizeBytes: z.number(),
    /** Of both its ends. */
    checksum: z.number(),
    format: z.string(),
    malformedLimit: z.number(),
    firstIndex: z.number(),
  }),
);
export type LabFile = z.infer<typeof fileSchema>;

const labSchema = z.readonly(
  z.object({
    id: z.string(),
    startedAtMs: z.number(),
    isQuick: z.boolean(),
    /** The command line's words for it: a preset's or a file's name. */
    source: z.string(),
    /** Plain data; whoever reads it must check it. */
    sweep: z.unknown(),
    /** How often each setting is run; null: as the sweep says. */
    repeats: z.nullable(z.int()),
    /** Examples come from a file, whatever the sweep says. */
    takesFile: z.boolean(),
    /** What its runs take their examples from; null where everyone has the data. */
    file: z.nullable(fileSchema),
    /** Large trained models are kept too. */
    keepsLargeModels: z.boolean(),
  }),
);
/** A sweep that was begun on this device. */
export type LabRecord = z.infer<typeof labSchema>;

const modelSchema = z.readonly(
  z.object({
    /** How many updates made them. */
    version: z.number(),
    /** Float32 in this machine's order of bytes; a blob, so that a list of runs does not bring all their models along. */
    params: z.custom<Blob>((value) => value instanceof Blob),
  }),
);
/** Parameters that a run came to. */
export type KeptModel = z.infer<typeof modelSchema>;

const runSchema = z.readonly(
  z.object({
    lab: z.string(),
    key: z.string(),
    /** Plain data; whoever reads it must check it. Null if there is nothing to report. */
    report: z.unknown(),
    /** Null if it trained to its end. */
    failure: z.nullable(z.string()),
    /** Null if it failed, or is too large to be kept unasked. */
    model: z.nullable(modelSchema),
  }),
);
/** What came of one run of a lab, kept whole under the lab's id and the run's key. */
export type LabRunRecord = z.infer<typeof runSchema>;

/** What is there as it should be; what another version wrote differently counts as not there. */
const read = <T>(schema: z.ZodMiniType<T>, found: readonly unknown[]): T[] =>
  found.flatMap((one) => {
    const { success, data } = schema.safeParse(one);
    return success ? [data] : [];
  });

/** The labs that this browser keeps. */
export const labStore = {
  /** Keeps a lab, in place of what was kept under its id before. */
  async save(lab: LabRecord): Promise<void> {
    await (await database()).put('labs', lab);
  },

  /** Every kept lab, newest first. */
  async list(): Promise<readonly LabRecord[]> {
    return read(labSchema, (await (await database()).getAllFromIndex('labs', 'age')).reverse());
  },

  /** The lab of this id, if it is kept. */
  async read(id: string): Promise<LabRecord | undefined> {
    return read(labSchema, [await (await database()).get('labs', id)])[0];
  },

  /** Keeps one run, all of it or nothing, in place of an earlier try of the same; false if its lab was deleted meanwhile. */
  async saveRun(run: LabRunRecord): Promise<boolean> {
    const tx = (await database()).transaction(['labs', 'lab-runs'], 'readwrite');
    const isKept = (await tx.objectStore('labs').getKey(run.lab)) !== undefined;
    await Promise.all([isKept ? tx.objectStore('lab-runs').put(run) : null, tx.done]);
    return isKept;
  },

  /** The runs of one lab, by key. */
  async runs(lab: string): Promise<readonly LabRunRecord[]> {
    return read(runSchema, await (await database()).getAll('lab-runs', ofLab(lab)));
  },

  /** Forgets a lab and all its runs. */
  async remove(id: string): Promise<void> {
    const tx = (await database()).transaction(['labs', 'lab-runs'], 'readwrite');
    await Promise.all([tx.objectStore('labs').delete(id), tx.objectStore('lab-runs').delete(ofLab(id)), tx.done]);
  },
};
export type LabStore = typeof labStore;

/** An empty array is greater than every string. */
const ofLab = (lab: string) => IDBKeyRange.bound([lab], [lab, []]);

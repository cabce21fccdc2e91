import type { Signal } from '@preact/signals';
import type { Experiment, ExperimentKey } from '../../experiment/experiment.ts';
import { layOut } from '../../lab/layout.ts';
import { parseSweep, type SweepRun } from '../../lab/sweep.ts';
import type { SweepOutcome } from '../../lab/sweep-result.ts';
import { readReport } from '../../observe/report-schema.ts';
import type { KeptModel, LabRecord, LabRunRecord } from '../../store/labs.ts';
import { type Lab, sized } from './sweep.ts';

/** Where labs are kept. */
export interface LabStore {
  list(): Promise<readonly LabRecord[]>;
  read(id: string): Promise<LabRecord | undefined>;
  save(lab: LabRecord): Promise<void>;
  runs(id: string): Promise<readonly LabRunRecord[]>;
  /** False if its lab is not kept any more. */
  saveRun(run: LabRunRecord): Promise<boolean>;
  remove(id: string): Promise<void>;
}

export type Outcomes = ReadonlyMap<string, SweepOutcome>;

/** Keeps labs, and says in `trouble` what could not be kept or read; nothing of it rejects. */
export function labKeeper(store: LabStore, trouble: Signal<string | null>) {
  /** Of this page's runs, where the store has no room for them. */
  const unkept = new Map<string, KeptModel>();
  const tryTo = async <T>(what: string, act: () => Promise<T>): Promise<T | null> => {
    try {
      return await act();
    } catch (error) {
      trouble.value = `${what} (${reasonOf(error)}). Download the results before this page is closed.`;
      return null;
    }
  };

  return {
    tryTo,
    list: () => tryTo('Earlier labs could not be read', () => store.list()),
    save: (lab: Lab) => tryTo('This lab cannot be kept', () => store.save(lab)),
    remove: (id: string) => tryTo('The lab could not be deleted', () => store.remove(id)),

    /** The lab of this id; null if it is not there, or not as this version knows labs. */
    async read(id: string): Promise<Lab | null> {
      const record = await tryTo('The lab could not be read', () => store.read(id));
      if (record === null) return null;
      if (record === undefined) {
        trouble.value = 'This lab is not kept in this browser (any more).';
        return null;
      }
      try {
        const lab: Lab = { ...record, sweep: parseSweep(record.sweep) };
        layOut(sized(lab));
        return lab;
      } catch (error) {
        trouble.value = `This lab was kept by another version of this page: ${(error as Error).message}`;
        return null;
      }
    },

    /** What is kept of its runs. */
    async outcomes(lab: Lab): Promise<Outcomes> {
      const kept = (await tryTo('Its runs could not be read', () => store.runs(lab.id))) ?? [];
      const found = layOut(sized(lab)).flatMap((run) => {
        const record = kept.find(({ key }) => key === run.key);
        return record ? [outcomeOf(run, record)] : [];
      });
      return new Map(found.map((outcome) => [outcome.key, outcome]));
    },

    /** Keeps a run with its model; without it where there is no room for it. */
    async keep(lab: string, outcome: SweepOutcome, model: KeptModel | null): Promise<void> {
      const { key, label, report, failure } = outcome;
      const record = { lab, key, report, failure };
      unkept.delete(`${lab} ${key}`);
      const isKept = await store
        .saveRun({ ...record, model })
        .catch(async (error: unknown) => {
          if (model === null) throw error;
          unkept.set(`${lab} ${key}`, model);
          const kept = await store.saveRun({ ...record, model: null });
          trouble.value = `The model of ${label} could not be kept (${reasonOf(error)}); its results are. Download everything before this page is closed.`;
          return kept;
        })
        .catch((error: unknown) => {
          trouble.value = `This run could not be kept (${reasonOf(error)}). Download the results before this page is closed.`;
          return true;
        });
      if (isKept) return;
      if (model !== null) unkept.set(`${lab} ${key}`, model);
      trouble.value =
        'This lab was deleted in another tab: its runs are not kept. Download the results before this page is closed.';
    },

    /** Parameters of the runs of a lab, by key, as far as they are there. */
    async models(lab: string): Promise<ReadonlyMap<string, KeptModel>> {
      const kept = (await tryTo('The models could not be read', () => store.runs(lab))) ?? [];
      const models = new Map(kept.flatMap(({ key, model }) => (model === null ? [] : [[key, model] as const])));
      for (const [name, model] of unkept) if (name.startsWith(`${lab} `)) models.set(name.slice(lab.length + 1), model);
      return models;
    },
  };
}

/** What was kept of a run, or that another version kept it which said or did things differently. */
function outcomeOf(run: SweepRun, { report, failure }: LabRunRecord): SweepOutcome {
  const known = readReport(report);
  const isOther = known === null ? (report ?? null) !== null : !isSame(known.experiment, run.experiment);
  if (isOther) return { ...run, report: null, failure: 'kept by another version of this page: run it again' };
  return { ...run, report: known, failure };
}

/** How many examples a file has is found out when it is read. */
const isSame = (a: Experiment, b: Experiment): boolean =>
  (Object.keys(a) as ExperimentKey[]).every(
    (key) => a[key] === b[key] || (b.data === 'file' && (key === 'examples' || key === 'entries')),
  );

const reasonOf = (error: unknown): string =>
  (error as Error).name === 'QuotaExceededError'
    ? 'this browser has no room left for it: delete labs that are not needed any more'
    : (error as Error).message;

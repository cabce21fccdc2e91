import { signal } from '@preact/signals';
import { errorText } from '../../experiment/error-text.ts';
import { keptOutcome } from '../../lab/files.ts';
import { layOut } from '../../lab/layout.ts';
import type { OutcomeStore } from '../../lab/session.ts';
import { parseSweep } from '../../lab/sweep.ts';
import type { SweepOutcome } from '../../lab/sweep-result.ts';
import type { KeptModel, LabStore } from '../../store/labs.ts';
import { type Lab, sized } from './plan.ts';

/** Keeps labs, and says in `trouble` what could not be kept or read; nothing of it rejects. */
export class LabKeeper {
  readonly trouble = signal<string | null>(null);
  readonly #store: LabStore;
  /** Models of this page's runs that the store has no room for, by lab and key. */
  readonly #unkept = new Map<string, Map<string, KeptModel>>();

  constructor(store: LabStore) {
    this.#store = store;
  }

  async tryTo<T>(what: string, act: () => Promise<T>): Promise<T | null> {
    try {
      return await act();
    } catch (error) {
      this.trouble.value = `${what} (${reasonOf(error)}). ${DOWNLOAD}`;
      return null;
    }
  }

  list = () => this.tryTo('Earlier labs could not be read', () => this.#store.list());
  save = (lab: Lab) => this.tryTo('This lab cannot be kept', () => this.#store.save(lab));
  remove = (id: string) => this.tryTo('The lab could not be deleted', () => this.#store.remove(id));

  /** The lab of this id; null if it is not there, or not as this version knows labs. */
  async read(id: string): Promise<Lab | null> {
    const record = await this.tryTo('The lab could not be read', () => this.#store.read(id));
    if (record === undefined) this.trouble.value = 'This lab is not kept in this browser (any more).';
    if (!record) return null;
    try {
      const lab = { ...record, sweep: parseSweep(record.sweep) };
      layOut(sized(lab));
      return lab;
    } catch (error) {
      this.trouble.value = `This lab was kept by another version of this page: ${errorText(error)}`;
      return null;
    }
  }

  /** Where the runs of a lab are kept. */
  outcomesOf(lab: string): OutcomeStore<KeptModel> {
    return {
      load: async (runs) => {
        const kept = (await this.tryTo('Its runs could not be read', () => this.#store.runs(lab))) ?? [];
        const recordOf = new Map(kept.map((record) => [record.key, record]));
        const found = runs.map((run) => {
          const record = recordOf.get(run.key);
          return record ? keptOutcome(run, record) : null;
        });
        return { outcomes: found.filter((outcome) => outcome !== null) };
      },
      keep: (outcome, { model }) => this.#keep(lab, outcome, model),
    };
  }

  /** Parameters of the runs of a lab, by key, as far as they are there. */
  async models(lab: string): Promise<ReadonlyMap<string, KeptModel>> {
    const kept = (await this.tryTo('The models could not be read', () => this.#store.runs(lab))) ?? [];
    const models = kept.flatMap(({ key, model }) => (model === null ? [] : [[key, model] as const]));
    return new Map([...models, ...(this.#unkept.get(lab) ?? [])]);
  }

  /** Keeps a run with its model; without it where there is no room for it. */
  async #keep(lab: string, { key, label, report, failure }: SweepOutcome, model: KeptModel | null): Promise<void> {
    const record = { lab, key, report, failure };
    const unkept = this.#unkept.get(lab) ?? new Map<string, KeptModel>();
    this.#unkept.set(lab, unkept);
    unkept.delete(key);
    const keepInPage = () => model !== null && unkept.set(key, model);
    const isKept = await this.#store
      .saveRun({ ...record, model })
      .catch(async (error: unknown) => {
        if (model === null) throw error;
        keepInPage();
        const hasResults = await this.#store.saveRun({ ...record, model: null });
        this.trouble.value = `The model of ${label} could not be kept (${reasonOf(error)}); its results are. Download everything before this page is closed.`;
        return hasResults;
      })
      .catch((error: unknown) => {
        this.trouble.value = `This run could not be kept (${reasonOf(error)}). ${DOWNLOAD}`;
        return true;
      });
    if (isKept) return;
    keepInPage();
    this.trouble.value = `This lab was deleted in another tab: its runs are not kept. ${DOWNLOAD}`;
  }
}

const DOWNLOAD = 'Download the results before this page is closed.';

const reasonOf = (error: unknown): string =>
  error instanceof Error && error.name === 'QuotaExceededError'
    ? 'this browser has no room left for it: delete labs that are not needed any more'
    : errorText(error);

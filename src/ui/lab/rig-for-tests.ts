import { parseSweep } from '../../lab/sweep.ts';
import type { LabRecord, LabRunRecord, LabStore } from '../../store/labs.ts';
import { LabHostForTests } from './host-for-tests.ts';
import { LabModel } from './model.ts';

export const base = { maxSteps: 20, evalEvery: 10 };
const upToTwo = parseSweep({ name: 'up-to-two', base, vary: { workers: [1, 2] } });

/** Keeps copies, as a database does. */
export function memoryStore() {
  const labs = new Map<string, LabRecord>();
  const runs = new Map<string, LabRunRecord>();
  const store: LabStore = {
    list: async () => [...labs.values()],
    read: async (id) => labs.get(id),
    save: async (lab) => void labs.set(lab.id, structuredClone({ ...lab, sweep: lab.sweep })),
    runs: async (id) => [...runs.values()].filter(({ lab }) => lab === id),
    async saveRun(run) {
      if (labs.has(run.lab)) runs.set(`${run.lab} ${run.key}`, structuredClone(run));
      return labs.has(run.lab);
    },
    async remove(id) {
      labs.delete(id);
      for (const [key, { lab }] of runs) if (lab === id) runs.delete(key);
    },
  };
  return { store, labs, runs };
}

/** A page of a lab, with so many tabs connected. */
export function rig({ sweep = upToTwo, kept = memoryStore(), labId = null as string | null, tabs = 0 } = {}) {
  const host = new LabHostForTests();
  host.connect(tabs);
  const shown: (string | null)[] = [];
  const model = new LabModel({
    host,
    machine: { cores: 2 },
    backend: 'auto',
    joinLink: () => '',
    openWorkerTab: () => {},
    networkWords: '',
    presets: [sweep],
    store: kept.store,
    labId,
    onShow: (id) => shown.push(id),
  });
  return { model, host, kept, shown };
}

/** Until all that follows from what was done has happened; nothing here waits for a clock. */
export const settle = () => new Promise<void>((resolve) => setTimeout(resolve));

/** Every run with its steps, or why it failed. */
export const stateOf = (model: ReturnType<typeof rig>['model']) =>
  model.plan.value.ok
    ? model.plan.value.runs.map(({ key, label }) => {
        const outcome = model.outcomes.value.get(key);
        return `${label}: ${outcome ? (outcome.failure ?? outcome.report?.steps) : 'to come'}`;
      })
    : model.plan.value.problems;

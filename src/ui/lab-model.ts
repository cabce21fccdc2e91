import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { defaultExperiment, type Experiment } from '../core/config.ts';
import type { Machine } from '../export/run-report.ts';
import type { Host } from '../host/state.ts';
import { layOut } from '../lab/layout.ts';
import { parseSweep, type Sweep } from '../lab/sweep.ts';
import type { SweepOutcome, SweepResult } from '../lab/sweep-result.ts';
import { type RunningSweep, runSweep, type SweepProgress } from '../lab/sweep-runner.ts';
import type { LabRecord, LabRunRecord } from '../store/labs.ts';
import { readSweepText } from './lab-file.ts';
import { type RunStage, trainRun } from './lab-run.ts';
import { type Choice, commandOf, type Lab, outcomeOf, type Plan, planOf, sized } from './lab-sweep.ts';
import type { XAxis } from './series.ts';
import type { Sharing } from './share-card.tsx';

/** Where labs are kept. */
export interface LabStore {
  list(): Promise<readonly LabRecord[]>;
  read(id: string): Promise<LabRecord | undefined>;
  save(lab: LabRecord): Promise<void>;
  runs(id: string): Promise<readonly LabRunRecord[]>;
  saveRun(run: LabRunRecord): Promise<unknown>;
  remove(id: string): Promise<void>;
}

/** What the Lab page needs from outside. */
export interface LabPageDeps {
  readonly host: Host;
  readonly machine: Machine;
  joinLink(code: string, experiment: Experiment): string;
  openWorkerTab(experiment: Experiment): void;
  readonly networkWords: string;
  readonly sharing?: Sharing;
  readonly presets: readonly Sweep[];
  readonly store: LabStore;
  /** The lab that the address names. */
  readonly labId: string | null;
  /** Another lab is shown, or none: for the address. */
  onShow(id: string | null): void;
}

/** What is wrong with a file, line by line. */
export interface FileProblem {
  readonly file: string;
  readonly problems: readonly string[];
}

export interface LabModel {
  readonly deps: LabPageDeps;
  /** What would be begun. */
  readonly choice: ReadonlySignal<Choice>;
  /** Why the file that was given cannot be; null if all is well. */
  readonly fileProblem: ReadonlySignal<FileProblem | null>;
  /** What is shown instead of the choice; null while one is being made. */
  readonly lab: ReadonlySignal<Lab | null>;
  /** Of the lab, or of the choice. */
  readonly plan: ReadonlySignal<Plan>;
  readonly outcomes: ReadonlySignal<ReadonlyMap<string, SweepOutcome>>;
  /** Null while nothing is under way. */
  readonly progress: ReadonlySignal<SweepProgress | null>;
  /** Of the run under way; null between runs. */
  readonly stage: ReadonlySignal<RunStage | null>;
  readonly labs: ReadonlySignal<readonly LabRecord[]>;
  /** Words on what the browser did not keep, or what broke; null if all is well. */
  readonly trouble: ReadonlySignal<string | null>;
  /** What a worker that joins now is told it will train. */
  readonly invited: ReadonlySignal<Experiment>;
  /** Runs whose curves are not drawn, by key. */
  readonly hidden: ReadonlySignal<ReadonlySet<string>>;
  readonly axis: Signal<XAxis>;
  readonly hoverX: Signal<number | null>;
  draw(key: string, isDrawn: boolean): void;
  choose(sweep: Sweep): void;
  setQuick(isQuick: boolean): void;
  load(file: string, text: string): void;
  /** Begins the choice, or goes on with the lab that is shown. */
  start(): void;
  /** Those that failed are to come again. */
  startFailed(): void;
  /** The run under way is the last before `resume`. */
  pause(): void;
  resume(): void;
  /** Breaks off the run under way; it is to come again. */
  stop(): void;
  /** Passes over runs that need more tabs than are here; they are still to come. */
  skipShort(): void;
  /** Shows a kept lab, or, with null, the choice. */
  show(id: string | null): Promise<void>;
  remove(id: string): Promise<void>;
  /** All there is to report of the lab; null while there is none. */
  result(): SweepResult | null;
  close(): void;
}

/** The page's state. Nothing computes before `start`; `close` ends what it has started. */
export function createLabModel(deps: LabPageDeps): LabModel {
  const { host, machine, store, presets } = deps;
  const [first] = presets;
  if (first === undefined) throw new RangeError('a lab needs at least one preset');
  const choice = signal<Choice>({ sweep: first, isQuick: first.quick !== undefined, source: first.name });
  const fileProblem = signal<FileProblem | null>(null);
  const lab = signal<Lab | null>(null);
  const plan = computed(() => planOf(lab.value ?? choice.value));
  const outcomes = signal<ReadonlyMap<string, SweepOutcome>>(new Map());
  const progress = signal<SweepProgress | null>(null);
  const stage = signal<RunStage | null>(null);
  const labs = signal<readonly LabRecord[]>([]);
  const trouble = signal<string | null>(null);
  const hidden = signal<ReadonlySet<string>>(new Set());
  const isStopped = signal(false);
  const skipsShort = signal(false);
  let running: RunningSweep | null = null;

  const invited = computed((): Experiment => {
    const runs = plan.value.ok ? plan.value.runs : [];
    // Workers that are to talk to each other are told so before they join.
    const telling = runs.find(({ experiment }) => experiment.strategy === 'allreduce') ?? runs[0];
    return telling?.experiment ?? defaultExperiment;
  });

  const tryTo = async <T>(what: string, act: () => Promise<T>): Promise<T | null> => {
    try {
      return await act();
    } catch (error) {
      trouble.value = `${what} (${(error as Error).message}). Download the results before this page is closed.`;
      return null;
    }
  };
  const list = async () => {
    labs.value = (await tryTo('Earlier labs could not be read', () => store.list())) ?? labs.value;
  };

  const begin = (of: Lab, kept: readonly SweepOutcome[]) => {
    isStopped.value = false;
    skipsShort.value = false;
    outcomes.value = new Map(kept.map((outcome) => [outcome.key, outcome]));
    const { hostTrains } = of.sweep;
    const onStage = (next: RunStage) => {
      stage.value = next;
    };
    const terms = { host, machine, hostTrains, isStopped, skipsShort, onStage };
    running = runSweep(of.sweep, of.isQuick, {
      run: (run, tell) => trainRun(run, tell, terms),
      kept,
      onProgress(next) {
        if (next.run === null) stage.value = null;
        progress.value = next;
      },
      async onOutcome(outcome) {
        outcomes.value = new Map(outcomes.value).set(outcome.key, outcome);
        const { key, report, failure } = outcome;
        await tryTo('This run could not be kept', () => store.saveRun({ lab: of.id, key, report, failure }));
      },
      nowMs: () => performance.now(),
    });
    void tryTo('The lab broke off', () => (running as RunningSweep).done).then(() => {
      running = null;
      progress.value = null;
      stage.value = null;
    });
  };

  const model: LabModel = {
    deps,
    choice,
    fileProblem,
    lab,
    plan,
    outcomes,
    progress,
    stage,
    labs,
    trouble,
    invited,
    hidden,
    axis: signal<XAxis>('relative'),
    hoverX: signal<number | null>(null),
    draw(key, isDrawn) {
      hidden.value = new Set([...hidden.value].filter((other) => other !== key).concat(isDrawn ? [] : key));
    },
    choose(sweep) {
      fileProblem.value = null;
      const isQuick = sweep.quick !== undefined && choice.value.isQuick;
      choice.value = { sweep, isQuick, source: sweep.name };
    },
    setQuick(isQuick) {
      choice.value = { ...choice.value, isQuick: isQuick && choice.value.sweep.quick !== undefined };
    },
    load(file, text) {
      const reading = readSweepText(text);
      fileProblem.value = reading.ok ? null : { file, problems: reading.problems };
      if (reading.ok) choice.value = { sweep: reading.sweep, isQuick: false, source: file };
    },
    start() {
      if (running !== null || !plan.value.ok) return;
      if (lab.value !== null) return begin(lab.value, [...outcomes.value.values()]);
      const startedAtMs = Date.now();
      const id = `${choice.value.sweep.name}-${startedAtMs.toString(36)}`;
      const begun: Lab = { ...choice.value, id, startedAtMs };
      lab.value = begun;
      trouble.value = null;
      deps.onShow(id);
      void tryTo('This lab cannot be kept', () => store.save(begun)).then(list);
      begin(begun, []);
    },
    startFailed() {
      if (running !== null || lab.value === null) return;
      begin(
        lab.value,
        [...outcomes.value.values()].filter(({ failure }) => failure === null),
      );
    },
    pause: () => running?.pause(),
    resume: () => running?.resume(),
    stop() {
      isStopped.value = true;
      running?.stop();
    },
    skipShort() {
      skipsShort.value = true;
    },
    async show(id) {
      if (running !== null || lab.value?.id === id) return;
      const record = id === null ? undefined : await tryTo('The lab could not be read', () => store.read(id));
      const kept = record && ((await tryTo('Its runs could not be read', () => store.runs(record.id))) ?? []);
      if (running !== null) return;
      try {
        const shown: Lab | null = record ? { ...record, sweep: parseSweep(record.sweep) } : null;
        const runs = shown ? layOut(sized(shown)) : [];
        lab.value = shown;
        hidden.value = new Set();
        outcomes.value = new Map(
          runs.flatMap((run) => {
            const found = kept?.find(({ key }) => key === run.key);
            return found ? [[run.key, outcomeOf(run, found)]] : [];
          }),
        );
        trouble.value = id !== null && shown === null ? 'This lab is not kept in this browser (any more).' : null;
        deps.onShow(shown?.id ?? null);
      } catch (error) {
        trouble.value = `This lab was kept by another version of this page: ${(error as Error).message}`;
      }
    },
    async remove(id) {
      if (running !== null && lab.value?.id === id) return;
      await tryTo('The lab could not be deleted', () => store.remove(id));
      if (lab.value?.id === id) await model.show(null);
      await list();
    },
    result() {
      const of = lab.value;
      if (of === null || !plan.value.ok) return null;
      const { runs } = plan.value;
      return {
        sweep: sized(of),
        isQuick: of.isQuick,
        command: commandOf(of),
        machine,
        startedAt: new Date(of.startedAtMs).toISOString(),
        outcomes: runs.flatMap(({ key }) => outcomes.value.get(key) ?? []),
        missing: runs.filter(({ key }) => !outcomes.value.has(key)),
      };
    },
    close: () => model.stop(),
  };
  void list();
  if (deps.labId !== null) void model.show(deps.labId);
  return model;
}

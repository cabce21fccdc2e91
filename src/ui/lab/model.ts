import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { defaultExperiment, type Experiment } from '../../experiment/experiment.ts';
import type { ExampleSource } from '../../host/example-server.ts';
import type { Host } from '../../host/state.ts';
import type { Sweep } from '../../lab/sweep.ts';
import type { SweepOutcome, SweepResult } from '../../lab/sweep-result.ts';
import type { RunningSweep, SweepProgress } from '../../lab/sweep-runner.ts';
import type { Machine } from '../../observe/run-report.ts';
import type { KeptModel, LabRecord } from '../../store/labs.ts';
import type { XAxis } from '../charts/series.ts';
import type { Sharing } from '../host/share-card.tsx';
import { claimLab } from './claim.ts';
import { type ChosenExamples, labExamples } from './examples.ts';
import { readSweepText } from './file.ts';
import { type LabStore, labKeeper, type Outcomes } from './keeper.ts';
import type { RunStage } from './run.ts';
import { runLab } from './runner.ts';
import { type Choice, choiceOf, commandOf, type Lab, type Plan, planOf, sized } from './sweep.ts';

/** What the Lab page needs from outside. */
export interface LabPageDeps {
  readonly host: Host;
  readonly machine: Machine;
  /** Who computes here, as the command line calls it. */
  readonly backend: string;
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
  /** The file that runs take their examples from, where they need one. */
  readonly examples: ReadonlySignal<ChosenExamples>;
  readonly outcomes: ReadonlySignal<Outcomes>;
  /** Null while nothing is under way. */
  readonly progress: ReadonlySignal<SweepProgress | null>;
  /** Of the run under way; null between runs. */
  readonly stage: ReadonlySignal<RunStage | null>;
  readonly labs: ReadonlySignal<readonly LabRecord[]>;
  /** Words on what the browser did not keep, or what broke; null if all is well. */
  readonly trouble: ReadonlySignal<string | null>;
  /** What a worker that joins now is told it will train. */
  readonly invited: ReadonlySignal<Experiment>;
  /** Runs that are not to be done for now, by key. */
  readonly leftOut: ReadonlySignal<ReadonlySet<string>>;
  /** Runs whose curves are not drawn, by key. */
  readonly hidden: ReadonlySignal<ReadonlySet<string>>;
  readonly axis: Signal<XAxis>;
  readonly hoverX: Signal<number | null>;
  draw(key: string, isDrawn: boolean): void;
  want(key: string, isWanted: boolean): void;
  choose(sweep: Sweep): void;
  /** Changes what is other than the sweep says. */
  adjust(change: Partial<Omit<Choice, 'sweep' | 'source'>>): void;
  /** Each run of the lab that is shown is to be done so often, and no less often than before. */
  repeatMore(repeats: number): void;
  load(file: string, text: string): void;
  /** Takes a file of examples; one that is not that of the lab is refused in words. */
  chooseExamples(source: ExampleSource): void;
  /** Whether there is all it takes: a sweep that can be run, and its file where it needs one. */
  canStart(): boolean;
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
  /** Looks again which labs are kept: another tab may have begun or deleted one. */
  refresh(): Promise<void>;
  /** All there is to report of the lab; null while there is none. */
  result(): SweepResult | null;
  /** Parameters that the lab's runs came to, by key, as far as they were kept. */
  models(): Promise<ReadonlyMap<string, KeptModel>>;
  close(): void;
}

const isBusyElsewhere = 'This lab is being run in another tab of this browser';

/** The page's state. Nothing computes before `start`; `close` ends what it has started. */
export function createLabModel(deps: LabPageDeps): LabModel {
  const { host, machine, presets } = deps;
  const [first] = presets;
  if (first === undefined) throw new RangeError('a lab needs at least one preset');
  const choice = signal<Choice>(choiceOf(first, first.name, true));
  const fileProblem = signal<FileProblem | null>(null);
  const lab = signal<Lab | null>(null);
  const plan = computed(() => planOf(lab.value ?? choice.value));
  const outcomes = signal<Outcomes>(new Map());
  const progress = signal<SweepProgress | null>(null);
  const stage = signal<RunStage | null>(null);
  const labs = signal<readonly LabRecord[]>([]);
  const trouble = signal<string | null>(null);
  const leftOut = signal<ReadonlySet<string>>(new Set());
  const hidden = signal<ReadonlySet<string>>(new Set());
  const isStopped = signal(false);
  const skipsShort = signal(false);
  const keeper = labKeeper(deps.store, trouble);
  const examples = labExamples(
    host,
    computed(() => lab.value?.file ?? null),
  );
  let running: RunningSweep | null = null;
  /** From the click until it is over. */
  let isBusy = false;

  const invited = computed((): Experiment => {
    const runs = plan.value.ok ? plan.value.runs : [];
    // Workers that are to talk to each other are told so before they join.
    const telling = runs.find(({ experiment }) => experiment.strategy === 'allreduce') ?? runs[0];
    return telling?.experiment ?? defaultExperiment;
  });
  const canStart = (): boolean => {
    if (isBusy || !plan.value.ok) return false;
    return (
      !plan.value.needsFile || (examples.chosen.value.kind === 'chosen' && host.state.examples?.phase !== 'failed')
    );
  };
  const setChoice = (next: Choice) => {
    choice.value = next;
    leftOut.value = new Set();
  };
  const list = async () => {
    labs.value = (await keeper.list()) ?? labs.value;
  };
  /** What is kept of the lab, also by another tab, beside what this page has. */
  const keptOutcomes = async (of: Lab): Promise<Outcomes> => {
    const kept = await keeper.outcomes(of);
    const own = [...outcomes.value].filter(([key, { failure }]) => failure === null || !kept.has(key));
    return new Map([...kept, ...own]);
  };

  const runAll = async (of: Lab, isDone: (outcome: SweepOutcome) => boolean): Promise<void> => {
    outcomes.value = new Map([...(await keptOutcomes(of))].filter(([, outcome]) => isDone(outcome)));
    running = runLab(of, {
      ...{ host, machine, isStopped, skipsShort },
      kept: [...outcomes.value.values()],
      isWanted: ({ key }) => !leftOut.value.has(key),
      onStage(next) {
        stage.value = next;
      },
      onProgress(next) {
        if (next.run === null) stage.value = null;
        progress.value = next;
      },
      async onOutcome(outcome, model) {
        outcomes.value = new Map(outcomes.value).set(outcome.key, outcome);
        await keeper.keep(of.id, outcome, model);
      },
    });
    await running.done;
  };

  const begin = async (of: Lab, isDone: (outcome: SweepOutcome) => boolean): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    isStopped.value = false;
    skipsShort.value = false;
    const release = await claimLab(of.id);
    if (release === null) trouble.value = `${isBusyElsewhere}: it goes on there.`;
    else await keeper.tryTo('The lab broke off', () => runAll(of, isDone));
    release?.();
    running = null;
    isBusy = false;
    progress.value = null;
    stage.value = null;
  };

  const model: LabModel = {
    deps,
    choice,
    fileProblem,
    lab,
    plan,
    examples: examples.chosen,
    outcomes,
    progress,
    stage,
    labs,
    trouble,
    invited,
    leftOut,
    hidden,
    axis: signal<XAxis>('relative'),
    hoverX: signal<number | null>(null),
    draw(key, isDrawn) {
      hidden.value = toggled(hidden.value, key, !isDrawn);
    },
    want(key, isWanted) {
      leftOut.value = toggled(leftOut.value, key, !isWanted);
    },
    choose(sweep) {
      fileProblem.value = null;
      setChoice(choiceOf(sweep, sweep.name, choice.value.isQuick));
    },
    adjust(change) {
      const next = { ...choice.value, ...change };
      setChoice({ ...next, isQuick: next.isQuick && next.sweep.quick !== undefined });
    },
    repeatMore(repeats) {
      const of = lab.value;
      if (isBusy || of === null || !plan.value.ok || repeats < plan.value.repeats) return;
      const more: Lab = { ...of, repeats };
      lab.value = more;
      void keeper.save(more);
    },
    load(file, text) {
      const reading = readSweepText(text);
      fileProblem.value = reading.ok ? null : { file, problems: reading.problems };
      if (reading.ok) setChoice(choiceOf(reading.sweep, file, false));
    },
    chooseExamples: examples.choose,
    canStart,
    start() {
      if (!canStart()) return;
      const chosen = examples.chosen.value;
      const file = plan.value.ok && plan.value.needsFile && chosen.kind === 'chosen' ? chosen.file : null;
      if (lab.value !== null) {
        const runs = plan.value.ok ? plan.value.runs : [];
        const isWantedDone = runs.every(({ key }) => leftOut.value.has(key) || outcomes.value.has(key));
        if (isWantedDone) leftOut.value = new Set();
        return void begin(lab.value, () => true);
      }
      const startedAtMs = Date.now();
      const id = `${choice.value.sweep.name}-${startedAtMs.toString(36)}`;
      const begun: Lab = { ...choice.value, id, startedAtMs, file };
      lab.value = begun;
      trouble.value = null;
      deps.onShow(id);
      void keeper.save(begun).then(list);
      void begin(begun, () => true);
    },
    startFailed() {
      if (lab.value !== null && canStart()) void begin(lab.value, ({ failure }) => failure === null);
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
      if (isBusy || lab.value?.id === id) return;
      trouble.value = null;
      const shown = id === null ? null : await keeper.read(id);
      const kept = shown && (await keeper.outcomes(shown));
      if (isBusy) return;
      if (id !== null && shown === null) return deps.onShow(lab.value?.id ?? null);
      lab.value = shown;
      leftOut.value = new Set();
      hidden.value = new Set();
      outcomes.value = kept ?? new Map();
      deps.onShow(id);
    },
    async remove(id) {
      if (isBusy && lab.value?.id === id) return;
      const release = await claimLab(id);
      if (release === null) trouble.value = `${isBusyElsewhere}: stop it there first.`;
      else await keeper.remove(id);
      release?.();
      if (release !== null && lab.value?.id === id) await model.show(null);
      await list();
    },
    refresh: list,
    result() {
      const of = lab.value;
      if (of === null || !plan.value.ok) return null;
      const { runs } = plan.value;
      return {
        sweep: sized(of),
        isQuick: of.isQuick,
        command: commandOf(of, of.file),
        machine,
        startedAt: new Date(of.startedAtMs).toISOString(),
        outcomes: runs.flatMap(({ key }) => outcomes.value.get(key) ?? []),
        missing: runs.filter(({ key }) => !outcomes.value.has(key)),
      };
    },
    models: async () => (lab.value === null ? new Map() : keeper.models(lab.value.id)),
    close: () => model.stop(),
  };
  void list();
  if (deps.labId !== null) void model.show(deps.labId);
  return model;
}

function toggled(keys: ReadonlySet<string>, key: string, isIn: boolean): ReadonlySet<string> {
  const next = new Set(keys);
  if (isIn) next.add(key);
  else next.delete(key);
  return next;
}

import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { RunState } from '../../core/server/progress.ts';
import { defaultExperiment, type Experiment } from '../../experiment/experiment.ts';
import type { ExampleSource } from '../../host/example-server.ts';
import type { Host, HostState } from '../../host/state.ts';
import type { RunStage } from '../../lab/run-order.ts';
import { type LabProgress, LabSession } from '../../lab/session.ts';
import type { Sweep, SweepRun } from '../../lab/sweep.ts';
import type { SweepOutcome, SweepResult } from '../../lab/sweep-result.ts';
import type { Machine } from '../../observe/run-report.ts';
import type { KeptModel, LabRecord, LabStore } from '../../store/labs.ts';
import type { Sharing } from '../host/share-card.tsx';
import { claimLab } from './claim.ts';
import { type ChosenExamples, LabExamples } from './examples.ts';
import { readSweepText } from './file.ts';
import { LabKeeper } from './keeper.ts';
import { type Choice, choiceOf, commandOf, type Lab, type Plan, planOf, sized } from './plan.ts';
import { TabTrainer } from './tab-trainer.ts';

/** What the Lab page needs from outside. */
export interface LabPageDeps {
  readonly host: Host;
  readonly machine: Machine;
  /** What computes here, as the command line calls it. */
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

const isBusyElsewhere = 'This lab is being run in another tab of this browser';

/** The page's state: it is shown as it is, and changed by the methods alone. Nothing computes before `start`. */
export class LabModel {
  readonly deps: LabPageDeps;
  /** What would be begun. */
  readonly choice: Signal<Choice>;
  /** What is wrong with the file that was given, line by line; null if all is well. */
  readonly fileProblem = signal<{ readonly file: string; readonly problems: readonly string[] } | null>(null);
  /** What is shown instead of the choice; null while one is being made. */
  readonly lab = signal<Lab | null>(null);
  /** Of the lab, or of the choice. */
  readonly plan = computed((): Plan => planOf(this.lab.value ?? this.choice.value));
  readonly runs = computed((): readonly SweepRun[] => (this.plan.value.ok ? this.plan.value.runs : []));
  readonly outcomes = signal<ReadonlyMap<string, SweepOutcome>>(new Map());
  /** Null while nothing is under way. */
  readonly progress = signal<LabProgress | null>(null);
  /** Of the run under way; null between runs. */
  readonly stage = computed((): RunStage | null => this.progress.value?.stage ?? null);
  readonly labs = signal<readonly LabRecord[]>([]);
  /** Words on what the browser did not keep, or what broke; null if all is well. */
  readonly trouble: Signal<string | null>;
  /** The file that runs take their examples from, where they need one. */
  readonly examples: ReadonlySignal<ChosenExamples>;
  /** The experiment that join links name: with all-reduce, workers must know before they join that they connect to each other. */
  readonly invited = computed((): Experiment => {
    const runs = this.runs.value;
    const told = runs.find(({ experiment }) => experiment.strategy === 'allreduce') ?? runs[0];
    return told?.experiment ?? defaultExperiment;
  });
  /** Runs that are not to be done for now, by key. */
  readonly leftOut = signal<ReadonlySet<string>>(new Set());
  /** Runs whose curves are not drawn, by key. */
  readonly hidden = signal<ReadonlySet<string>>(new Set());
  readonly axis = signal<'relative' | 'step'>('relative');
  readonly hoverX = signal<number | null>(null);

  readonly #keeper: LabKeeper;
  readonly #examples: LabExamples;
  readonly #trainer: TabTrainer;
  /** Of the lab that is shown. */
  #session: LabSession<KeptModel> | null = null;
  /** From the click until it is over. */
  #isBusy = false;
  #isStopped = false;

  constructor(deps: LabPageDeps) {
    const [first] = deps.presets;
    if (first === undefined) throw new RangeError('a lab needs at least one preset');
    this.deps = deps;
    this.choice = signal(choiceOf(first, first.name, true));
    this.#keeper = new LabKeeper(deps.store);
    this.trouble = this.#keeper.trouble;
    this.#examples = new LabExamples(
      deps.host,
      computed(() => this.lab.value?.file ?? null),
    );
    this.examples = this.#examples.chosen;
    this.#trainer = new TabTrainer(deps.host, deps.machine);
    void this.refresh();
    if (deps.labId !== null) void this.show(deps.labId);
  }

  draw(key: string, isDrawn: boolean): void {
    this.hidden.value = toggled(this.hidden.value, key, !isDrawn);
  }

  want(key: string, isWanted: boolean): void {
    this.leftOut.value = toggled(this.leftOut.value, key, !isWanted);
  }

  choose(sweep: Sweep): void {
    this.fileProblem.value = null;
    this.#setChoice(choiceOf(sweep, sweep.name, this.choice.value.isQuick));
  }

  /** Changes what differs from the sweep. */
  adjust(change: Partial<Omit<Choice, 'sweep' | 'source'>>): void {
    const next = { ...this.choice.value, ...change };
    this.#setChoice({ ...next, isQuick: next.isQuick && next.sweep.quick !== undefined });
  }

  load(file: string, text: string): void {
    const reading = readSweepText(text);
    this.fileProblem.value = reading.ok ? null : { file, problems: reading.problems };
    if (reading.ok) this.#setChoice(choiceOf(reading.sweep, file, false));
  }

  /** Each run of the lab that is shown is to be done so often, and no less often than before. */
  repeatMore(repeats: number): void {
    const lab = this.lab.value;
    const plan = this.plan.value;
    if (this.#isBusy || lab === null || !plan.ok || repeats < plan.repeats) return;
    const more = { ...lab, repeats };
    const next = planOf(more);
    if (!next.ok) {
      this.trouble.value = next.problems.join(' ');
      return;
    }
    this.#show(more, this.#sessionOf(more, this.outcomes.value.values()));
    void this.#keeper.save(more);
  }

  /** Takes a file of examples; one that is not that of the lab is refused in words. */
  chooseExamples(source: ExampleSource): void {
    void this.#examples.choose(source);
  }

  /** Whether there is all it takes: a sweep that can be run, and its file where it needs one. */
  canStart(): boolean {
    const plan = this.plan.value;
    if (this.#isBusy || !plan.ok) return false;
    return (
      !plan.needsFile || (this.examples.value.kind === 'chosen' && this.deps.host.state.examples?.phase !== 'failed')
    );
  }

  /** Begins the choice, or goes on with the lab that is shown. */
  start(): void {
    const plan = this.plan.value;
    if (!this.canStart() || !plan.ok) return;
    if (this.lab.value === null) {
      const startedAtMs = Date.now();
      const id = `${this.choice.value.sweep.name}-${startedAtMs.toString(36)}`;
      const chosen = this.examples.value;
      const file = plan.needsFile && chosen.kind === 'chosen' ? chosen.file : null;
      const lab = { ...this.choice.value, id, startedAtMs, file };
      this.#show(lab, this.#sessionOf(lab));
      this.trouble.value = null;
      this.deps.onShow(id);
      void this.#keeper.save(lab).then(() => this.refresh());
    } else if (plan.runs.every(({ key }) => this.leftOut.value.has(key) || this.outcomes.value.has(key))) {
      this.leftOut.value = new Set();
    }
    void this.#run(false);
  }

  /** Goes on, with those that failed as well. */
  startFailed(): void {
    if (this.canStart()) void this.#run(true);
  }

  /** The run under way is the last before `resume`. */
  pause(): void {
    this.#session?.pause();
  }

  resume(): void {
    this.#session?.resume();
  }

  /** Passes over runs that need more tabs than are here; they are still to come. */
  skipShort(): void {
    this.#session?.skipShort();
  }

  /** Breaks off the run under way; it is to come again. */
  stop(): void {
    this.#isStopped = true;
    this.#session?.stop();
  }

  /** Shows a kept lab, or, with null, the choice. */
  async show(id: string | null): Promise<void> {
    if (this.#isBusy || this.lab.value?.id === id) return;
    this.trouble.value = null;
    const lab = id === null ? null : await this.#keeper.read(id);
    const session = lab && this.#sessionOf(lab);
    await session?.load();
    if (this.#isBusy) return;
    if (id !== null && lab === null) return this.deps.onShow(this.lab.value?.id ?? null);
    this.#show(lab, session);
    this.leftOut.value = new Set();
    this.hidden.value = new Set();
    this.deps.onShow(id);
  }

  async remove(id: string): Promise<void> {
    if (this.#isBusy && this.lab.value?.id === id) return;
    const release = await claimLab(id);
    if (release === null) this.trouble.value = `${isBusyElsewhere}: stop it there first.`;
    else await this.#keeper.remove(id);
    release?.();
    if (release !== null && this.lab.value?.id === id) await this.show(null);
    await this.refresh();
  }

  /** Looks again which labs are kept: another tab may have begun or deleted one. */
  async refresh(): Promise<void> {
    this.labs.value = (await this.#keeper.list()) ?? this.labs.value;
  }

  /** All there is to report of the lab; null while there is none. */
  result(): SweepResult | null {
    return this.#session?.result() ?? null;
  }

  /** Parameters that the lab's runs came to, by key, as far as they were kept. */
  async models(): Promise<ReadonlyMap<string, KeptModel>> {
    return this.lab.value === null ? new Map() : this.#keeper.models(this.lab.value.id);
  }

  #setChoice(next: Choice): void {
    this.choice.value = next;
    this.leftOut.value = new Set();
  }

  #show(lab: Lab | null, session: LabSession<KeptModel> | null): void {
    this.#session = session;
    this.lab.value = lab;
    this.outcomes.value = session?.outcomes ?? new Map();
  }

  #sessionOf(lab: Lab, known: Iterable<SweepOutcome> = []): LabSession<KeptModel> {
    const { id, isQuick, file, startedAtMs, keepsLargeModels } = lab;
    const info = {
      sweep: sized(lab),
      isQuick,
      command: commandOf(lab, file),
      machine: this.deps.machine,
      startedAt: new Date(startedAtMs).toISOString(),
    };
    const onProgress = (progress: LabProgress) => {
      this.progress.value = progress;
      this.outcomes.value = session.outcomes;
    };
    const store = this.#keeper.outcomesOf(id);
    const deps = { store, trainer: this.#trainer, keepsLargeModels, onProgress, nowMs: () => performance.now() };
    const session = new LabSession(info, deps, known);
    return session;
  }

  async #run(retriesFailed: boolean): Promise<void> {
    const [lab, session] = [this.lab.value, this.#session];
    if (this.#isBusy || lab === null || session === null) return;
    this.#isBusy = true;
    this.#isStopped = false;
    const release = await claimLab(lab.id);
    const run = async () => {
      // Another tab may have gone on with it meanwhile.
      await session.load();
      if (!this.#isStopped) await session.run({ isWanted: ({ key }) => !this.leftOut.value.has(key), retriesFailed });
    };
    if (release === null) this.trouble.value = `${isBusyElsewhere}: it goes on there.`;
    else await this.#keeper.tryTo('The lab broke off', run);
    release?.();
    this.#isBusy = false;
    this.progress.value = null;
  }
}

/** The host's run, if it is the one of the lab that is under way. */
export function liveRun({ stage }: Pick<LabModel, 'stage'>, { run }: HostState): RunState | null {
  const now = stage.value;
  return now !== null && 'id' in now && now.id === run?.id ? run : null;
}

function toggled(keys: ReadonlySet<string>, key: string, isIn: boolean): ReadonlySet<string> {
  const next = new Set(keys);
  if (isIn) next.add(key);
  else next.delete(key);
  return next;
}

import type { Machine } from '../observe/run-report.ts';
import { layOut } from './layout.ts';
import { orderOf, type RunStage, type RunTrainer, type TrainedRun } from './run-order.ts';
import type { SweepRun } from './sweep.ts';
import type { SweepOutcome, SweepResult } from './sweep-result.ts';
import { leftMs, type TimedRun } from './time-left.ts';

/** Where a lab is. */
export interface LabProgress {
  readonly phase: 'running' | 'paused' | 'stopping' | 'ended';
  /** The run under way; null between runs. */
  readonly run: SweepRun | null;
  /** Of the run under way, counting from 1. */
  readonly number: number;
  readonly count: number;
  /** Of the run under way. */
  readonly stage: RunStage | null;
  /** Of the whole lab, by the runs that are done; null while there is nothing to go by. */
  readonly leftMs: number | null;
  /** In the order of the runs. */
  readonly outcomes: readonly SweepOutcome[];
  readonly missing: readonly SweepRun[];
}

/** Where the results of a lab are kept. */
export interface OutcomeStore<Model> {
  /** What is kept of these runs, and what ran the last of them. */
  load(runs: readonly SweepRun[]): Promise<{ readonly outcomes: readonly SweepOutcome[]; readonly machine?: Machine }>;
  /** Keeps one run, whole or not at all, before the next begins. */
  keep(outcome: SweepOutcome, trained: TrainedRun<Model>): Promise<void>;
}

export interface LabDeps<Model> {
  readonly store: OutcomeStore<Model>;
  readonly trainer: RunTrainer<Model>;
  readonly keepsLargeModels: boolean;
  onProgress(progress: LabProgress): void;
  nowMs(): number;
}

/** All that a report says beside what came of the runs. */
export type LabInfo = Omit<SweepResult, 'outcomes' | 'missing'>;

/** Which of the missing runs to do. */
export interface LabGoal {
  isWanted?(run: SweepRun): boolean;
  /** Runs that failed are done again. */
  readonly retriesFailed?: boolean;
}

/** A lab: which of its runs are done, the next one trained and kept after another, and the report of them at any time. */
export class LabSession<Model> {
  readonly runs: readonly SweepRun[];
  readonly #info: LabInfo;
  readonly #deps: LabDeps<Model>;
  #outcomes: ReadonlyMap<string, SweepOutcome>;
  /** How long each run done here took beside its training. */
  readonly #besideMs: number[] = [];
  #machine: Machine;
  #wanted: readonly SweepRun[] = [];
  #phase: LabProgress['phase'] = 'ended';
  #skipsShort = false;
  #wake: () => void = () => {};
  #now: { readonly run: SweepRun; readonly beganMs: number; readonly stage: RunStage } | null = null;

  /** A sweep that cannot be laid out throws. */
  constructor(info: LabInfo, deps: LabDeps<Model>, known: Iterable<SweepOutcome> = []) {
    this.runs = layOut(info.sweep);
    this.#info = info;
    this.#deps = deps;
    this.#machine = info.machine;
    this.#outcomes = new Map(Array.from(known, (outcome) => [outcome.key, outcome]));
  }

  /** What is known of the runs so far, by key; replaced, never changed in place. */
  get outcomes(): ReadonlyMap<string, SweepOutcome> {
    return this.#outcomes;
  }

  /** All there is to report. */
  result(): SweepResult {
    return {
      ...this.#info,
      machine: this.#machine,
      outcomes: this.runs.flatMap(({ key }) => this.#outcomes.get(key) ?? []),
      missing: this.runs.filter(({ key }) => !this.#outcomes.has(key)),
    };
  }

  /** Takes over what is kept, by others too; what trained to its end here stands. */
  async load(): Promise<void> {
    const { outcomes, machine = this.#machine } = await this.#deps.store.load(this.runs);
    this.#machine = machine;
    const trained = [...this.#outcomes].filter(([, { failure }]) => failure === null);
    const kept = outcomes.map((outcome) => [outcome.key, outcome] as const);
    this.#outcomes = new Map([...this.#outcomes, ...kept, ...trained]);
  }

  /** Does the wanted runs that are missing, one after another. What is missing at the end was broken off or never begun. */
  async run({ isWanted = () => true, retriesFailed = false }: LabGoal = {}): Promise<LabProgress> {
    this.#phase = 'running';
    this.#skipsShort = false;
    this.#wanted = this.runs.filter(isWanted);
    const isDone = ({ failure }: SweepOutcome) => failure === null || !retriesFailed;
    this.#outcomes = new Map([...this.#outcomes].filter(([, outcome]) => isDone(outcome)));
    try {
      for (const run of this.#wanted) {
        if (!this.#outcomes.has(run.key) && (await this.#mayBegin())) await this.#runOne(run);
      }
    } finally {
      this.#phase = 'ended';
    }
    return this.#tell();
  }

  /** No run begins before `resume`; the one under way goes on. */
  pause(): void {
    this.#setPhase('running', 'paused');
  }

  resume(): void {
    this.#setPhase('paused', 'running');
  }

  /** Breaks off the run under way, which is still to be done; no other begins. */
  stop(): void {
    this.#setPhase('running', 'stopping');
    this.#setPhase('paused', 'stopping');
    this.#deps.trainer.breakOff();
  }

  /** Runs that need more tabs than are here are passed over from now on; they are still to be done. */
  skipShort(): void {
    this.#skipsShort = true;
    if (this.#now?.stage.kind === 'short') this.#deps.trainer.breakOff();
  }

  #setPhase(from: LabProgress['phase'], to: LabProgress['phase']): void {
    if (this.#phase !== from) return;
    this.#phase = to;
    this.#tell();
    this.#wake();
  }

  /** Whether another run may begin, once no pause is in its way. */
  async #mayBegin(): Promise<boolean> {
    while (this.#phase === 'paused') {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#phase !== 'stopping';
  }

  async #runOne(run: SweepRun): Promise<void> {
    const { trainer, store, keepsLargeModels, nowMs } = this.#deps;
    let beganMs = nowMs();
    const onStage = (stage: RunStage) => {
      // Time spent waiting for people says nothing of how long runs take.
      if (stage.kind === 'short' || this.#now?.stage.kind === 'short') beganMs = nowMs();
      this.#now = { run, beganMs, stage };
      this.#tell();
      if (stage.kind === 'short' && this.#skipsShort) trainer.breakOff();
    };
    onStage({ kind: 'starting', text: 'starting' });
    const order = orderOf(run, this.#info.sweep, [...this.#outcomes.values()], keepsLargeModels);
    const trained = await trainer.train(order, onStage).finally(() => {
      this.#now = null;
    });
    if (trained === null) return;
    const { report, failure, machine } = trained;
    const outcome = { ...run, report, failure };
    this.#outcomes = new Map(this.#outcomes).set(run.key, outcome);
    this.#machine = machine;
    if (failure === null && report !== null)
      this.#besideMs.push(Math.max(0, nowMs() - beganMs - report.wallSeconds * 1000));
    await store.keep(outcome, trained);
    this.#tell();
  }

  #tell(): LabProgress {
    const { outcomes, missing } = this.result();
    const progress = {
      phase: this.#phase,
      run: this.#now?.run ?? null,
      number: this.#now === null ? 0 : this.#wanted.indexOf(this.#now.run) + 1,
      count: this.#wanted.length,
      stage: this.#now?.stage ?? null,
      leftMs: this.#leftMs(),
      outcomes,
      missing,
    };
    this.#deps.onProgress(progress);
    return progress;
  }

  #leftMs(): number | null {
    const now = this.#now;
    return leftMs({
      done: [...this.#outcomes.values()].flatMap(timed),
      besideMs: this.#besideMs.reduce((sum, ms) => sum + ms, 0) / Math.max(1, this.#besideMs.length),
      toCome: this.#wanted.filter((run) => !this.#outcomes.has(run.key) && run !== now?.run),
      now: now && {
        experiment: now.run.experiment,
        spentMs: this.#deps.nowMs() - now.beganMs,
        leftMs: now.stage.kind === 'training' ? now.stage.leftMs : null,
      },
    });
  }
}

const timed = ({ experiment, report, failure }: SweepOutcome): TimedRun[] =>
  report === null || failure !== null ? [] : [{ experiment, trainedMs: report.wallSeconds * 1000 }];

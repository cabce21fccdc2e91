import type { RunReport } from '../observe/run-report.ts';
import { layOut } from './layout.ts';
import { quickened, type Sweep, type SweepRun } from './sweep.ts';
import type { SweepOutcome } from './sweep-result.ts';
import { guessMs, type TimedRun } from './time-left.ts';

/** Where a sweep is. */
export interface SweepProgress {
  readonly phase: 'running' | 'paused' | 'stopping' | 'ended';
  /** The run under way; null between runs. */
  readonly run: SweepRun | null;
  /** Of the run under way, counting from 1. */
  readonly number: number;
  readonly count: number;
  /** Of the run under way, as whoever runs it says. */
  readonly text: string;
  /** Of the whole sweep, by the runs that are done; null while there is nothing to go by. */
  readonly leftMs: number | null;
  /** In the order of the runs. */
  readonly outcomes: readonly SweepOutcome[];
  readonly missing: readonly SweepRun[];
}

/** Where one run is. */
export interface RunWord {
  readonly text: string;
  readonly leftMs: number | null;
}

export interface SweepWork {
  /** Trains once; null if it was broken off, and is still to be done. A failure is an outcome, not a rejection. */
  run(
    run: SweepRun,
    tell: (word: RunWord) => void,
  ): Promise<{ readonly report: RunReport | null; readonly failure: string | null } | null>;
  /** Runs that are done already. */
  readonly kept: readonly SweepOutcome[];
  /** Which runs to do; without it, all. */
  readonly isWanted?: (run: SweepRun) => boolean;
  onProgress(progress: SweepProgress): void;
  /** After each run, and waited for: where results are kept. */
  onOutcome?(outcome: SweepOutcome, progress: SweepProgress): Promise<void> | void;
  nowMs(): number;
}

/** A sweep that is being run. */
export interface RunningSweep {
  /** How it ended up: whatever is missing was not wanted, or it was stopped before. */
  readonly done: Promise<SweepProgress>;
  /** No run begins before `resume`; the one under way goes on. */
  pause(): void;
  resume(): void;
  /** No run begins any more. Whoever runs the one under way breaks it off, or lets it end. */
  stop(): void;
}

/** Runs what a sweep lays out, one after another, without what is done already. A sweep that cannot be laid out throws at once. */
export function runSweep(sweep: Sweep, isQuick: boolean, work: SweepWork): RunningSweep {
  const runner = new SweepRunner(layOut(isQuick ? quickened(sweep) : sweep), work);
  return {
    done: runner.run(),
    pause: () => runner.setPhase('running', 'paused'),
    resume: () => runner.setPhase('paused', 'running'),
    stop: () => runner.stop(),
  };
}

/** A run that takes longer than others let expect, and cannot say how long, may take this part of its time more. */
const OVERDUE = 0.25;

class SweepRunner {
  readonly #runs: readonly SweepRun[];
  readonly #wanted: readonly SweepRun[];
  readonly #work: SweepWork;
  readonly #outcomes: Map<string, SweepOutcome>;
  readonly #timed: TimedRun[];
  /** How long each run done here took beside its training. */
  readonly #besideMs: number[] = [];
  #phase: SweepProgress['phase'] = 'running';
  #wake: () => void = () => {};
  #now: { readonly run: SweepRun; readonly beganMs: number; readonly word: RunWord } | null = null;

  constructor(runs: readonly SweepRun[], work: SweepWork) {
    this.#runs = runs;
    this.#work = work;
    this.#wanted = runs.filter(work.isWanted ?? (() => true));
    this.#outcomes = new Map(work.kept.map((outcome) => [outcome.key, outcome]));
    this.#timed = work.kept.flatMap(({ experiment, report }) =>
      report === null ? [] : [{ experiment, trainedMs: report.wallSeconds * 1000 }],
    );
  }

  async run(): Promise<SweepProgress> {
    for (const run of this.#wanted) {
      if (this.#outcomes.has(run.key)) continue;
      while (this.#phase === 'paused') {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      if (this.#phase === 'stopping') break;
      await this.#runOne(run);
    }
    this.#phase = 'ended';
    this.#tell();
    return this.#progress();
  }

  setPhase(from: SweepProgress['phase'], to: SweepProgress['phase']): void {
    if (this.#phase !== from) return;
    this.#phase = to;
    this.#tell();
    this.#wake();
  }

  stop(): void {
    this.setPhase('running', 'stopping');
    this.setPhase('paused', 'stopping');
  }

  async #runOne(run: SweepRun): Promise<void> {
    const { nowMs, onOutcome } = this.#work;
    const beganMs = nowMs();
    const tell = (word: RunWord) => {
      this.#now = { run, beganMs, word };
      this.#tell();
    };
    tell({ text: 'starting', leftMs: null });
    let result: Awaited<ReturnType<SweepWork['run']>>;
    try {
      result = await this.#work.run(run, tell);
    } finally {
      this.#now = null;
    }
    if (result === null) return;
    const outcome = { ...run, ...result };
    this.#outcomes.set(run.key, outcome);
    if (result.failure === null) {
      const tookMs = nowMs() - beganMs;
      const trainedMs = Math.min(tookMs, result.report === null ? tookMs : result.report.wallSeconds * 1000);
      this.#timed.push({ experiment: run.experiment, trainedMs });
      this.#besideMs.push(tookMs - trainedMs);
    }
    await onOutcome?.(outcome, this.#progress());
    this.#tell();
  }

  #tell(): void {
    this.#work.onProgress(this.#progress());
  }

  #progress(): SweepProgress {
    const now = this.#now;
    return {
      phase: this.#phase,
      run: now?.run ?? null,
      number: now === null ? 0 : this.#wanted.indexOf(now.run) + 1,
      count: this.#wanted.length,
      text: now?.word.text ?? '',
      leftMs: this.#leftMs(),
      outcomes: this.#runs.flatMap(({ key }) => this.#outcomes.get(key) ?? []),
      missing: this.#runs.filter(({ key }) => !this.#outcomes.has(key)),
    };
  }

  #leftMs(): number | null {
    const now = this.#now;
    const besideMs = this.#besideMs.reduce((sum, ms) => sum + ms, 0) / Math.max(1, this.#besideMs.length);
    let leftMs = 0;
    let timed = this.#timed;
    if (now !== null) {
      const spentMs = this.#work.nowMs() - now.beganMs;
      const { experiment } = now.run;
      const guessedMs = guessMs(experiment, timed);
      const isOverdue = guessedMs !== null && spentMs > guessedMs + besideMs;
      const restMs = now.word.leftMs ?? (isOverdue ? spentMs * OVERDUE : null);
      if (restMs !== null) timed = [...timed, { experiment, trainedMs: Math.max(0, spentMs + restMs - besideMs) }];
      else if (guessedMs === null) return null;
      leftMs += restMs ?? (guessedMs ?? 0) + besideMs - spentMs;
    }
    for (const run of this.#wanted) {
      if (this.#outcomes.has(run.key) || run === now?.run) continue;
      const ms = guessMs(run.experiment, timed);
      if (ms === null) return null;
      leftMs += ms + besideMs;
    }
    return leftMs;
  }
}

import type { Experiment } from '../experiment/experiment.ts';
import type { TrainedModel } from '../export/run-files.ts';
import type { Sweep, SweepRun } from '../lab/sweep.ts';
import type { SweepOutcome } from '../lab/sweep-result.ts';
import type { RunWord, SweepWork } from '../lab/sweep-runner.ts';
import type { BackendChoice } from '../models/backend.ts';
import { resolveExperiment } from '../models/plan.ts';
import { ensureBuilt } from '../node/build.ts';
import type { Machine } from '../observe/run-report.ts';
import type { ExampleFile } from './example-file.ts';
import { labMachine } from './lab-machine.ts';
import { shortProgressText } from './progress-line.ts';
import type { Glance } from './tabs.ts';
import { train } from './train.ts';

/** Larger models are only kept where that is asked for: a sweep has many. */
const SMALL_MODEL_BYTES = 32e6;

/** A sweep in real tabs, ready to start. */
export interface LabOptions {
  /** As it is run: at its quick size, if that was asked for. */
  readonly sweep: Sweep;
  readonly isQuick: boolean;
  /** What runs take whose data is a file. */
  readonly file: ExampleFile | null;
  readonly out: string;
  readonly host: 'tab' | 'relay';
  readonly backend: BackendChoice;
  readonly isHeaded: boolean;
  readonly keepsLargeModels: boolean;
  readonly runTimeoutMs: number;
  isWanted(run: SweepRun): boolean;
}

interface Place {
  readonly signal: AbortSignal;
  note(text: string): void;
}

/** Trains the runs of a sweep, each with a server, a browser and a host of its own: nothing of one is left for the next. */
export class LabRuns {
  readonly #options: LabOptions;
  readonly #place: Place;
  readonly #profiled: Set<string>;
  /** Built once, before the first run: a change of the sources meanwhile must not split a sweep. */
  #dist: Promise<string> | null = null;
  #model: TrainedModel | null = null;
  /** Of the last run. */
  problems: readonly string[] = [];
  /** What ran the last run; null before. */
  machine: Machine | null = null;

  constructor(options: LabOptions, place: Place, kept: readonly SweepOutcome[]) {
    this.#options = options;
    this.#place = place;
    const profiled = kept.filter(({ report }) => report?.profile);
    this.#profiled = new Set(profiled.map(({ experiment }) => stepKey(experiment)));
  }

  /** What the last run came to; given once. */
  takeModel(): TrainedModel | null {
    const model = this.#model;
    this.#model = null;
    return model;
  }

  async run({ experiment }: SweepRun, tell: (word: RunWord) => void): ReturnType<SweepWork['run']> {
    const { sweep, file, host, backend, isHeaded, keepsLargeModels, runTimeoutMs } = this.#options;
    const { signal, note } = this.#place;
    this.#dist ??= ensureBuilt(note);
    const dist = await this.#dist;
    const hostTrains = experiment.strategy === 'single' || sweep.hostTrains;
    const tabs = experiment.workers - (hostTrains ? 1 : 0);
    const isSmall = resolveExperiment(experiment).schema.size * 4 <= SMALL_MODEL_BYTES;
    const { report, failure, model, problems, browser } = await train(
      { experiment, tabs, hostTrains, host, backend, isHeaded, timeoutMs: runTimeoutMs },
      { note, progress: (text, glance) => tell(wordOf(text, glance)) },
      {
        app: async () => dist,
        signal,
        file,
        keepsModel: isSmall || keepsLargeModels,
        profiles: !this.#profiled.has(stepKey(experiment)),
      },
    );
    if (signal.aborted && failure !== null) return null;
    if (report?.profile) this.#profiled.add(stepKey(experiment));
    this.#model = model;
    this.problems = problems;
    this.machine = labMachine(browser);
    return { report, failure };
  }
}

/** One step is the same for all of these. */
const stepKey = ({ model, data, batch, features }: Experiment): string => `${model} ${data} ${batch} ${features}`;

function wordOf(text: string, { state: { run }, test }: Glance): RunWord {
  if (run === null || run.phase === 'waiting') return { text, leftMs: null };
  // When the loss will be reached nobody knows; other stop rules then only say when it ends at the latest.
  return { text: shortProgressText(run, test), leftMs: run.experiment.untilLoss === null ? run.leftMs : null };
}

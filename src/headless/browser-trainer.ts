import type { TrainedModel } from '../export/run-files.ts';
import type { HostView } from '../host/watch-run.ts';
import { type RunOrder, type RunStage, type RunTrainer, type TrainedRun, trainingStage } from '../lab/run-order.ts';
import { ensureBuilt } from '../node/build.ts';
import { labMachine } from './lab-machine.ts';
import { shortProgressText } from './progress-line.ts';
import { type TrainOptions, train } from './train.ts';

export type TrainerOptions = Pick<TrainOptions, 'host' | 'backend' | 'isHeaded' | 'timeoutMs' | 'file'>;

/** Trains the runs of a lab, each with a server, a browser and a host of its own: nothing of one is left for the next. */
export class BrowserTrainer implements RunTrainer<TrainedModel> {
  readonly #options: TrainerOptions;
  readonly #note: (text: string) => void;
  /** Built once, before the first run: a change of the sources meanwhile must not split a lab. */
  #app: Promise<string> | null = null;
  #interrupt = new AbortController();

  constructor(options: TrainerOptions, note: (text: string) => void) {
    this.#options = options;
    this.#note = note;
  }

  breakOff(): void {
    this.#interrupt.abort();
  }

  async train(order: RunOrder, onStage: (stage: RunStage) => void): Promise<TrainedRun<TrainedModel> | null> {
    this.#interrupt = new AbortController();
    const { signal } = this.#interrupt;
    this.#app ??= ensureBuilt(this.#note);
    const { browser, ...trained } = await train(
      { ...this.#options, ...order, app: await this.#app, signal },
      { note: this.#note, progress: (text, view) => onStage(stageOf(text, view)) },
    );
    return signal.aborted && trained.failure !== null ? null : { ...trained, machine: labMachine(browser) };
  }
}

const stageOf = (text: string, { state: { run }, test }: HostView): RunStage =>
  run === null || run.phase === 'waiting'
    ? { kind: 'starting', text }
    : trainingStage(run, shortProgressText(run, test));

import type { CountedWorker, RunState } from '../core/server/progress.ts';
import type { FileIdentity } from '../data/sparse/file-identity.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { RunLog } from '../observe/run-log.ts';
import type { StepProfile } from '../observe/step-trace.ts';
import type { ExampleSource, ExamplesState } from './example-server.ts';

export type { RunLog } from '../observe/run-log.ts';

/** How others reach this host. */
export interface Room {
  /** The short code people can type; also names the host at the signalling server. */
  readonly code: string;
  readonly signalling: 'connecting' | 'open' | 'lost';
  /** Words for the person when signalling is not open, else null. */
  readonly problem: string | null;
}

/** A worker in the table. */
export type WorkerRow = CountedWorker;

/** What the worker in this tab and the evaluator are doing before they appear in the table; null when all is well. */
export type LocalNote = { readonly kind: 'busy' | 'broken'; readonly text: string } | null;

export interface Resumable {
  readonly id: string;
  readonly experiment: Experiment;
  readonly version: number;
  /** What its data is known again by, where only a host had it. */
  readonly file: FileIdentity | null;
  readonly savedAtMs: number;
}

/** Everything the host page shows. Replaced, never changed in place. */
export interface HostState {
  readonly room: Room;
  readonly run: RunState | null;
  readonly workers: readonly WorkerRow[];
  readonly trainsHere: boolean;
  readonly note: LocalNote;
  readonly resumable: Resumable | null;
  /** The file of examples that was chosen, as far as it is read; null if none was. */
  readonly examples: ExamplesState | null;
}

/** What a page or a command line may do with a host. */
export interface Host {
  readonly state: HostState;
  /** The current run's curves; the same object grows while a run goes on. */
  readonly log: RunLog | null;
  /** Called after every change, at most a few times a second. Returns the way to stop. */
  subscribe(listener: () => void): () => void;
  /** With `maxWorkers`, only the first so many that are ready take part. */
  start(experiment: Experiment, maxWorkers?: number): void;
  /** Goes on with the saved run that `state.resumable` describes. */
  resumeSaved(): void;
  discardSaved(): void;
  pause(): void;
  resume(): void;
  /** Ends after the round under way, evaluates, keeps the result. */
  finish(): void;
  /** Drops the run; workers stay connected. */
  reset(): void;
  remove(worker: number): void;
  setTrainsHere(on: boolean): void;
  /** The file that experiments over `file` are about from now on; it is read from end to end first. */
  chooseExamples(source: ExampleSource): void;
  /** A copy of the parameters as they are now; null while there is no run. */
  parameters(): Promise<{ readonly version: number; readonly params: Float32Array } | null>;
  /** Takes one step of such an experiment apart, in a thread of its own; kept in the log of the current run. */
  profile(experiment: Experiment): Promise<StepProfile>;
  close(): void;
}

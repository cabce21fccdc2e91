import type {
  CountedWorker,
  RunMoment,
  RunState,
  TestPoint,
  TrainPoint,
  WorkerCurve,
} from '../core/server/progress.ts';
import type { NodeResources } from '../core/wire/resources.ts';
import type { FileIdentity } from '../data/sparse/file-identity.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { RunNumbers } from '../observe/run-numbers.ts';
import type { StepProfile, Timeline } from '../observe/step-trace.ts';
import type { ExampleSource, ExamplesState } from './example-server.ts';

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

/** A run's curves, live or from the store. */
export interface RunLog {
  readonly id: string;
  readonly experiment: Experiment;
  readonly startedAtMs: number;
  /** What it came to; null while it goes on, and for runs of a time when that was not kept. */
  readonly summary: RunNumbers | null;
  /** The run and its workers when it was last kept; null before, and for runs of a time when that was not kept. */
  readonly end: RunMoment | null;
  readonly train: readonly TrainPoint[];
  readonly test: readonly TestPoint[];
  readonly workerCurves: readonly WorkerCurve[];
  readonly resources: readonly NodeResources[];
  /** Its last steps. */
  readonly timeline: Timeline;
  /** One step, operator by operator; null until somebody asks for it. */
  readonly profile: StepProfile | null;
}

/** What a page or a command line may do with a host. */
export interface Host {
  readonly state: HostState;
  /** The current run's curves; the same object grows while a run goes on. */
  readonly log: RunLog | null;
  /** Called after every change, at most a few times a second. Returns the way to stop. */
  subscribe(listener: () => void): () => void;
  /** With `most`, only the first so many workers that are ready take part. */
  start(experiment: Experiment, most?: number): void;
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

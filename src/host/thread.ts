import type { RunState, TestPoint, TrainPoint, WorkerPoint, WorkerState } from '../core/server/progress.ts';
import type { ResourceSample } from '../core/wire/resources.ts';
import type { Traffic } from '../core/wire/traffic.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { Timeline } from '../observe/step-trace.ts';
import type { ExampleSource, ExamplesState } from './example-server.ts';
import type { LocalNote, Resumable } from './state.ts';

/** A thread of the host's process, whatever kind of process that is. */
export interface Thread<To> {
  post(message: To, transfer?: Transferable[]): void;
  stop(): void;
}

/** Starts a thread; what it says and why it stopped by itself go to the handlers. */
export type Spawn<To, From> = (handlers: { onMessage(message: From): void; onError(text: string): void }) => Thread<To>;

/** What a host tells its server thread. */
export type ToServer =
  /** First of all, once: the evaluator's port. */
  | { readonly type: 'evaluator'; readonly port: MessagePort }
  | { readonly type: 'link'; readonly link: number; readonly isLocal: boolean; readonly port: MessagePort }
  /** The thread behind a link was stopped: a port does not tell its other end. */
  | { readonly type: 'unlink'; readonly link: number }
  | {
      readonly type: 'start';
      readonly id: string;
      readonly experiment: Experiment;
      /** Only the first so many that are ready take part; undefined: all. */
      readonly maxWorkers: number | undefined;
      /** Whether steps are remembered one by one. */
      readonly observes: boolean;
    }
  /** The file that experiments over `file` are about from now on. */
  | { readonly type: 'examples'; readonly source: ExampleSource }
  /** Asks for a copy of the parameters as they are now. */
  | { readonly type: 'parameters'; readonly request: number }
  | { readonly type: 'remove'; readonly worker: number }
  | { readonly type: 'resume-saved' | 'discard-saved' | 'pause' | 'resume' | 'finish' | 'reset' };

/** A worker's state with what its link carried; `link` is null while it is away. */
export interface ServedWorker extends WorkerState {
  readonly link: number | null;
  readonly traffic: Traffic;
}

/** Points to add to the curves: those before `from` stay as they are. */
export interface CurveDelta<Point> {
  readonly from: number;
  readonly points: readonly Point[];
}

/** What a server thread tells its host, a few times a second. */
export type FromServer =
  | {
      readonly type: 'state';
      readonly run: RunState | null;
      readonly workers: readonly ServedWorker[];
      readonly resumable: Resumable | null;
      readonly examples: ExamplesState | null;
      readonly note: LocalNote;
    }
  | {
      readonly type: 'curves';
      readonly id: string;
      readonly experiment: Experiment;
      readonly startedAtMs: number;
      readonly train: CurveDelta<TrainPoint>;
      readonly test: CurveDelta<TestPoint>;
      readonly workers: readonly ({ readonly worker: number } & CurveDelta<WorkerPoint>)[];
    }
  /** Steps that ended since the last such news. */
  | ({ readonly type: 'steps'; readonly id: string } & Timeline)
  /** What a worker's machine is doing; the time is since the run began. */
  | { readonly type: 'sample'; readonly worker: number; readonly atMs: number; readonly sample: ResourceSample }
  | {
      readonly type: 'parameters';
      readonly request: number;
      readonly version: number;
      /** Null where there is no run. */
      readonly params: Float32Array | null;
    };

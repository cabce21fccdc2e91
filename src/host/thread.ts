import type { Experiment } from '../core/config.ts';
import type { RunState, TestPoint, TrainPoint, WorkerState } from '../core/progress.ts';
import type { Traffic } from '../core/traffic.ts';
import type { LocalNote, Resumable } from './state.ts';

/** What a host tells its server thread. */
export type ToServer =
  /** First of all, once: the evaluator's port. */
  | { readonly type: 'evaluator'; readonly port: MessagePort }
  | { readonly type: 'link'; readonly link: number; readonly isLocal: boolean; readonly port: MessagePort }
  /** The thread behind a link was stopped: a port does not tell its other end. */
  | { readonly type: 'unlink'; readonly link: number }
  | { readonly type: 'start'; readonly id: string; readonly experiment: Experiment }
  | { readonly type: 'remove'; readonly worker: number }
  | {
      readonly type: 'resume-saved' | 'discard-saved' | 'pause' | 'resume' | 'finish' | 'reset';
    };

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
      readonly note: LocalNote;
    }
  | {
      readonly type: 'curves';
      readonly id: string;
      readonly experiment: Experiment;
      readonly startedAtMs: number;
      readonly train: CurveDelta<TrainPoint>;
      readonly test: CurveDelta<TestPoint>;
    };

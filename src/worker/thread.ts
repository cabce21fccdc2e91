import type { ResourceSample } from '../core/wire/resources.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { BackendChoice } from '../models/backend.ts';
import type { StepProfile } from '../observe/step-trace.ts';
import type { Trouble, WorkerView } from './state.ts';

/** Where a trainer finds the app's files, and what it may compute on. */
interface Setup {
  readonly baseUrl: string;
  readonly backend: BackendChoice;
}

/** What a page tells its trainer thread. */
export type ToTrainer =
  /** First of all, once: work over the links that will be attached. The token is from an earlier visit of this tab, or empty. */
  | (Setup & { readonly type: 'work'; readonly name: string; readonly device: string; readonly token: string })
  /** First of all, once: evaluate parameters that come through the port. */
  | (Setup & { readonly type: 'evaluate'; readonly port: MessagePort })
  /** First of all, once: take one step of this experiment apart. Answered by `profiled` or `profile-failed`. */
  | (Setup & { readonly type: 'profile'; readonly experiment: Experiment })
  /** A link to the host is there; the port's other end is bridged to it, or is the server's own. */
  | { readonly type: 'attach'; readonly port: MessagePort }
  /** The link to another worker is there; the port's other end is bridged to it. */
  | { readonly type: 'peer'; readonly peer: number; readonly port: MessagePort }
  | { readonly type: 'peer-failed'; readonly peer: number }
  /** How to connect to this worker: for another one, through the host. */
  | { readonly type: 'signal'; readonly peer: number; readonly data: string }
  /** What this machine is doing, for the host. */
  | { readonly type: 'sample'; readonly sample: ResourceSample }
  | { readonly type: 'set'; readonly intensity: number; readonly isPaused: boolean; readonly isFinishing: boolean }
  | { readonly type: 'leave' };

/** What a trainer thread tells its page. */
export type FromTrainer =
  | { readonly type: 'view'; readonly change: Partial<WorkerView> }
  /** Links to other workers are needed: these are to be called, and calls are expected of those. */
  | { readonly type: 'peers'; readonly calls: readonly number[]; readonly expects: readonly number[] }
  /** How to connect to another worker, in its own words. */
  | { readonly type: 'signal'; readonly peer: number; readonly data: string }
  /** Instead of all other messages, where a profile was asked for. */
  | { readonly type: 'profiled'; readonly profile: StepProfile }
  | { readonly type: 'profile-failed'; readonly text: string }
  /** The link is over: because of trouble, or as the volunteer asked. */
  | { readonly type: 'ended'; readonly trouble: Trouble | null };

import type { BackendChoice } from '../models/backend.ts';
import type { Trouble, WorkerView } from './state.ts';

/** What a page tells its trainer thread. */
export type ToTrainer =
  /** First of all, once: work over the links that will be attached. */
  | {
      readonly type: 'work';
      readonly baseUrl: string;
      readonly backend: BackendChoice;
      readonly name: string;
      readonly device: string;
      /** From an earlier visit of this tab, or empty. */
      readonly token: string;
    }
  /** First of all, once: evaluate parameters that come through the port. */
  | { readonly type: 'evaluate'; readonly baseUrl: string; readonly backend: BackendChoice; readonly port: MessagePort }
  /** A link to the host is there; the port's other end is bridged to it, or is the server's own. */
  | { readonly type: 'attach'; readonly port: MessagePort }
  | { readonly type: 'set'; readonly intensity: number; readonly isPaused: boolean; readonly isFinishing: boolean }
  | { readonly type: 'leave' };

/** What a trainer thread tells its page. */
export type FromTrainer =
  | { readonly type: 'view'; readonly change: Partial<WorkerView> }
  /** The link is over: because of trouble, or as the volunteer asked. */
  | { readonly type: 'ended'; readonly trouble: Trouble | null };

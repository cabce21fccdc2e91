import type { ToHost, ToWorker } from '../wire/protocol.ts';
import type { RunPlan } from './run.ts';
import type { SavedServer } from './saved-run.ts';

/** All that can happen to a server. */
export type ServerEvent =
  | {
      readonly type: 'message';
      readonly link: number;
      readonly isLocal: boolean;
      readonly message: ToHost;
      readonly body: Uint8Array;
    }
  | { readonly type: 'closed'; readonly link: number }
  | { readonly type: 'garbled'; readonly link: number }
  | { readonly type: 'start'; readonly plan: RunPlan; readonly saved?: SavedServer }
  | { readonly type: 'pause' | 'resume' | 'finish' | 'reset' | 'tick' }
  | { readonly type: 'remove'; readonly worker: number }
  | {
      readonly type: 'evaluated';
      readonly run: number;
      readonly version: number;
      readonly loss: number;
      readonly accuracy: number;
      readonly precisions: readonly number[];
      /** Where there are two classes. */
      readonly auc?: number | null;
    }
  | { readonly type: 'evaluator-failed' };

/**
 * All that a server can ask for. Effects are carried out in order and at once, because parameters are live. With `withParams`,
 * the body is `Run.outgoing` of the lease that is due.
 */
export type Effect =
  | { readonly type: 'send'; readonly link: number; readonly message: ToWorker; readonly withParams: boolean }
  | { readonly type: 'close'; readonly link: number }
  | { readonly type: 'evaluate'; readonly run: number; readonly version: number }
  | { readonly type: 'checkpoint' }
  | { readonly type: 'wake'; readonly atMs: number };

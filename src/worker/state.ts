import type { Phases, Refusal, ToWorker } from '../core/wire/protocol.ts';
import type { Traffic } from '../core/wire/traffic.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { DialCode } from '../net/join/dial-error.ts';
import type { Failure } from './failure.ts';

export type GroupProgress = Extract<ToWorker, { type: 'progress' }>;

/**
 * Why a worker cannot go on. The page has words and one thing to do for each. `link-lost`: the connection to the host ended
 * without a word.
 */
export type Trouble = Failure | { readonly code: Refusal | DialCode | 'link-lost' };

/** The one state a worker is in. */
export type WorkerStage =
  | { readonly kind: 'idle' }
  | { readonly kind: 'connecting' }
  | { readonly kind: 'reconnecting'; readonly attempt: number; readonly trouble: Trouble }
  | { readonly kind: 'preparing'; readonly what: 'library' | 'data' | 'warm-up'; readonly fraction: number | null }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'training' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'finishing' }
  | { readonly kind: 'finished' }
  | { readonly kind: 'left' }
  | { readonly kind: 'broken'; readonly trouble: Trouble };

/** Everything the join page shows. Replaced, never changed in place. */
export interface WorkerView {
  readonly stage: WorkerStage;
  /** Given by the host; null before it has welcomed us. */
  readonly identity: { readonly worker: number; readonly name: string; readonly token: string } | null;
  readonly experiment: Experiment | null;
  readonly backend: { readonly name: string; readonly why: string } | null;
  readonly steps: number;
  readonly examples: number;
  readonly stale: number;
  readonly lastLoss: number | null;
  readonly phases: Phases;
  /** Seen from the worker: `sent` went up to the host. */
  readonly traffic: Traffic;
  /** A long message under way, `up` to the host or `down` from it, in bytes; null when there is none. */
  readonly transfer: { readonly direction: 'up' | 'down'; readonly done: number; readonly total: number } | null;
  readonly group: GroupProgress | null;
  /** 1 computes without a break; 0.25 rests three times as long as it computes. */
  readonly intensity: number;
}

/** What the join page may do. */
export interface WorkerControl {
  readonly view: WorkerView;
  subscribe(listener: () => void): () => void;
  /** The click: nothing connects, loads or computes before it. */
  contribute(): void;
  setIntensity(intensity: number): void;
  pause(): void;
  resume(): void;
  /** Completes the step under way, hands it in, then leaves. */
  finish(): void;
  /** Stops at once. */
  leave(): void;
}

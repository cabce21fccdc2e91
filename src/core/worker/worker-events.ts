import type { Experiment } from '../../experiment/experiment.ts';
import type { Schema } from '../math/schema.ts';
import type { Lease, Phases, Refusal, ToHost, ToPeer, ToWorker } from '../wire/protocol.ts';

/** A finished step. The gradient, for all parameters or for the lease's keys, is given away with its buffer. */
export interface StepResult {
  readonly gradient: Float32Array;
  readonly loss: number;
  /** How many predictions were right; null if they were not counted. */
  readonly correct: number | null;
  readonly decodeMs: number;
  readonly computeMs: number;
  readonly readMs: number;
}

/** All that can happen to a worker. */
export type WorkerEvent =
  | { readonly type: 'message'; readonly message: ToWorker; readonly body: Uint8Array }
  | {
      readonly type: 'prepared';
      readonly run: number;
      readonly schema: Schema;
      readonly backend: { readonly name: string; readonly why: string };
    }
  | { readonly type: 'computed'; readonly task: number; readonly result: StepResult }
  | { readonly type: 'failed'; readonly task: number; readonly text: string }
  /** What a lease touches, after `prefetch`. */
  | { readonly type: 'keys'; readonly run: number; readonly lease: number; readonly keys: Uint32Array }
  | { readonly type: 'no-keys'; readonly run: number; readonly lease: number; readonly text: string }
  | { readonly type: 'settings'; readonly isPaused: boolean; readonly isFinishing: boolean }
  | { readonly type: 'peer-message'; readonly peer: number; readonly message: ToPeer; readonly body: Uint8Array }
  /** The link to another worker ended, or could not be made, or carried what is not our protocol. */
  | { readonly type: 'peer-lost'; readonly peer: number }
  | { readonly type: 'leave' | 'beat' };

export type WorkerEnd =
  | { readonly kind: 'left' }
  | { readonly kind: 'refused'; readonly reason: Refusal }
  | { readonly kind: 'device'; readonly detail: string };

/** All that a worker can ask for. */
export type WorkerEffect =
  | { readonly type: 'send'; readonly message: ToHost; readonly body: Uint8Array | null }
  | { readonly type: 'prepare'; readonly run: number; readonly experiment: Experiment }
  /**
   * Compute the gradient of these examples on these parameters, which do not change until `computed`. Where parameters have
   * keys, they are those of the whole lease with this id, and the gradient is for the same keys.
   */
  | { readonly type: 'compute'; readonly task: number; readonly lease: Lease; readonly params: Float32Array }
  /** Prepare the batch of these examples; where parameters have keys, say which it touches. */
  | { readonly type: 'prefetch'; readonly lease: Lease }
  /** The longest bodies to come, from the host and from other workers. */
  | { readonly type: 'expect'; readonly bytes: number; readonly peerBytes: number }
  /** Links to these workers are needed: `calls` are to be called. Messages to one that is not there yet wait. */
  | { readonly type: 'peers'; readonly calls: readonly number[]; readonly expects: readonly number[] }
  | { readonly type: 'peer-send'; readonly peer: number; readonly message: ToPeer; readonly body: Uint8Array }
  | { readonly type: 'signal'; readonly peer: number; readonly data: string }
  | { readonly type: 'stage'; readonly stage: 'waiting' | 'training' | 'paused' | 'finishing' | 'finished' }
  | { readonly type: 'stepped'; readonly startedMs: number; readonly version: number; readonly phases: Phases }
  | { readonly type: 'end'; readonly end: WorkerEnd };

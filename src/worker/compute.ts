import type { Lease } from '../core/wire/protocol.ts';
import type { StepResult } from '../core/worker/worker-events.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { WorkerStage } from './state.ts';

/** The examples of a lease, from a host whose data nobody else has. */
export type FetchExamples = (lease: Lease) => Promise<Uint8Array>;

/** What computes; the session only decides when. It rejects with the errors that `failureOf` tells apart. */
export interface Compute {
  /** Gets model and data ready, and says what computes. May be called again with the same or another experiment. */
  prepare(
    experiment: Experiment,
    onStage: (stage: WorkerStage) => void,
    fetchExamples: FetchExamples,
  ): Promise<{ readonly name: string; readonly why: string }>;
  /** Prepares the batch of these examples; where parameters have keys, says which ones it touches, rising. */
  prefetch(lease: Lease): Promise<Uint32Array> | undefined;
  /** The gradient on all parameters, or on those of the keys that `prefetch` gave for this lease. */
  step(params: Float32Array, lease: Lease): Promise<StepResult>;
}

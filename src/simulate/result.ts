import type { StopReason } from '../core/server/progress.ts';
import type { Comparable } from './scenario.ts';

/** A look at the test set. */
export interface SimulatedPoint {
  readonly elapsedMs: number;
  readonly step: number;
  readonly examples: number;
  readonly loss: number;
  readonly accuracy: number;
}

/** What came of one strategy in a scenario; times are virtual, shares are between 0 and 1. */
export interface SimulatedRun {
  readonly strategy: Comparable;
  /** Null if it did not end in time. */
  readonly stopReason: StopReason | null;
  readonly elapsedMs: number;
  /** When the test loss was first as low as asked; null if it never was, or nothing was asked. */
  readonly toTargetMs: number | null;
  readonly updates: number;
  readonly examples: number;
  readonly testLoss: number | null;
  readonly accuracy: number | null;
  /** Of one of the workers there are at a time, on average; other workers included. */
  readonly workerBytes: { readonly up: number; readonly down: number };
  /** Received and sent by the host. */
  readonly hostBytes: { readonly up: number; readonly down: number };
  /** Where the workers' time went, while they were there. */
  readonly shares: {
    readonly compute: number;
    /** The host held their push: others were not done, or sums went round. */
    readonly wait: number;
    /** Pushes and answers on their way, and in line at the host. */
    readonly transfer: number;
    /** All that is not computing. */
    readonly idle: number;
  };
  /** How much of the time the host's parts were busy. */
  readonly hostBusy: { readonly server: number; readonly up: number; readonly down: number };
  readonly staleShare: number;
  /** Versions between what a push was computed on and what it met, on average. */
  readonly staleness: number;
  readonly joins: number;
  readonly leaves: number;
  /** Things that happened in the simulation. */
  readonly events: number;
  readonly curve: readonly SimulatedPoint[];
}

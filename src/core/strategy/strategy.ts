import type { Experiment, StrategyName } from '../config.ts';
import type { Verdict } from '../protocol.ts';
import { async } from './async.ts';
import { single } from './single.ts';
import { sync } from './sync.ts';

/** A push that passed every check, before a strategy has judged it. */
export interface Delivery {
  readonly worker: number;
  readonly lease: number;
  readonly version: number;
  readonly examples: number;
  readonly loss: number;
  readonly gradient: Float32Array;
}

/** What a strategy may see and do. Each delivery is judged once, before its update; a worker goes on when released. */
export interface Field {
  readonly nowMs: number;
  readonly version: number;
  readonly size: number;
  /** How many workers take part just now, at work or not. */
  readonly active: number;
  /** Workers with nothing to do, by number. */
  idle(): readonly number[];
  /** Moves the parameters by `gradient × scale` and makes the next version. `loss` is the mean over its examples. */
  update(gradient: Float32Array, scale: number, loss: number): void;
  judge(delivery: Delivery, verdict: Exclude<Verdict, { kind: 'rejected' }>): void;
  /** Takes back what the worker is computing; it goes to another. Its late push will be stale. */
  revoke(worker: number): void;
  /** Gives these workers fresh parameters and examples, in this order; says who got some (none are left at the end). */
  release(workers: readonly number[]): readonly number[];
  /** Asks for a `tick` at this time. */
  wakeAt(atMs: number): void;
}

/** How workers train together. Knows nothing of links, leases or clocks. */
export interface Strategy {
  /** Whether a worker takes part at all. */
  admits(isLocal: boolean): boolean;
  /** Somebody may have become idle: hand out work. */
  offer(field: Field): void;
  deliver(delivery: Delivery, field: Field): void;
  /** The worker left; its leases are already back. */
  gone(worker: number, field: Field): void;
  tick(field: Field): void;
}

export type StrategyFactory = (experiment: Experiment) => Strategy;

/** Every strategy there is, in the order the page lists them. */
export const strategies = { single, sync, async } as const satisfies Record<StrategyName, StrategyFactory>;

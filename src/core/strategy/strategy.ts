import type { Experiment, StrategyName } from '../../experiment/experiment.ts';
import type { Gradient } from '../math/gradient.ts';
import type { Exchange } from '../server/exchange.ts';
import type { ToWorker, Verdict } from '../wire/protocol.ts';
import { allreduce } from './allreduce.ts';
import { async } from './async.ts';
import { bounded } from './bounded.ts';
import { local } from './local.ts';
import { single } from './single.ts';
import { sync } from './sync.ts';

/** A push that passed every check and waits for its verdict. */
export interface Delivery {
  readonly worker: number;
  readonly lease: number;
  readonly version: number;
  readonly examples: number;
  readonly loss: number;
  /** Empty where workers add up their gradients among themselves. Its memory is reused after the verdict. */
  readonly gradient: Gradient;
}

/** What a strategy can make of a push that passed every check. */
export type StrategyVerdict = Exclude<Verdict, { kind: 'rejected' }>;

/** Workers that add up their gradients among themselves, in this order. */
export type Ring = Pick<Extract<ToWorker, { type: 'ring' }>, 'ring' | 'members' | 'feeds'>;

/** How workers train together. Knows nothing of links, leases or clocks. */
export interface Strategy {
  /** Somebody may have become idle: hand out work. */
  offer(): void;
  deliver(delivery: Delivery): void;
  /** The worker left, for good or (not `isAway`) for a pause or an error; its leases are already back. */
  gone(worker: number, isAway: boolean): void;
  tick(): void;
  /** Where each worker has its own copy of the parameters; null where the host gives them out with every release. */
  readonly ring: RingStrategy | null;
}

interface RingStrategy {
  /** A worker with the current parameters; null if nobody has them any more. */
  holder(): number | null;
  /** The worker left after the run ended: it holds nothing any more. */
  forget(worker: number): void;
  /** The worker has the mean over this ring; all members' must have the same checksum. */
  reduced(worker: number, ring: number, checksum: number): void;
  /** The worker cannot reach its peer in this ring. */
  unreachable(worker: number, ring: number, peer: number): void;
}

/** Makes the strategy of one run, which acts through its exchange. */
export type StrategyFactory = (experiment: Experiment, exchange: Exchange) => Strategy;

/** Every strategy there is, in the order the page lists them. */
export const strategies = { single, sync, async, bounded, local, allreduce } as const satisfies Record<
  StrategyName,
  StrategyFactory
>;

import type { SimulatedPoint, SimulatedRun } from './result.ts';
import type { Comparable, Scenario } from './scenario.ts';

/** What a page asks of a simulating thread, once; to cancel it ends the thread. */
export interface ToSimulator {
  readonly scenario: Scenario;
  readonly strategies: readonly Comparable[];
}

/** What the thread tells: strategies one after another, each with its progress and then its result. */
export type FromSimulator =
  | {
      readonly type: 'progress';
      readonly strategy: Comparable;
      /** Of this strategy's time, from 0 to 1. */
      readonly fraction: number;
      readonly curve: readonly SimulatedPoint[];
    }
  | { readonly type: 'run'; readonly run: SimulatedRun; readonly tookMs: number }
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly text: string };

import type { StrategyFactory } from './strategy.ts';
import { sync } from './sync.ts';

/**
 * Local steps: each worker takes `localSteps` steps of its own, then hands in how far it came; the mean of that, weighted
 * by examples, is one outer update (DiLoCo, Douillard et al. 2023). Rounds go as in sync.
 */
export const local: StrategyFactory = sync;

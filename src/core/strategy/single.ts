import type { StrategyFactory } from './strategy.ts';
import { sync } from './sync.ts';

/** The baseline: the worker in the host's own tab, alone. */
export const single: StrategyFactory = (experiment, exchange) => sync({ ...experiment, backup: 0 }, exchange);

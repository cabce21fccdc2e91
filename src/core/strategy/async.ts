import type { StrategyFactory } from './strategy.ts';

/**
 * Every push is applied as it comes and answered with fresh parameters; nobody waits for anybody. What is more than
 * `maxStaleness` versions old is stale; `inverse` damping makes what is old count less.
 */
export const async: StrategyFactory = ({ maxStaleness, damping }, exchange) => ({
  offer() {
    exchange.release(exchange.idle());
  },
  deliver(delivery) {
    const staleness = exchange.version - delivery.version;
    const isTooOld = maxStaleness !== null && staleness > maxStaleness;
    exchange.decide(delivery, { kind: isTooOld ? 'stale' : 'applied', staleness });
    if (!isTooOld) exchange.update(delivery.gradient, dampingFactor(damping, staleness), delivery.loss);
    exchange.release([delivery.worker]);
  },
  gone() {},
  tick() {},
  ring: null,
});

/** How much a push this many versions old counts. */
export const dampingFactor = (damping: 'none' | 'inverse', staleness: number): number =>
  damping === 'none' ? 1 : 1 / (1 + staleness);

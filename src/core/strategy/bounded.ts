import { dampingFactor } from './async.ts';
import type { StrategyFactory } from './strategy.ts';

/**
 * Async, but nobody is more than `lead` steps ahead of the slowest (stale synchronous parallel, Ho et al. 2013): the fast
 * ones wait there, so that no gradient is older than lead × workers versions. Who joins starts level with the slowest.
 */
export const bounded: StrategyFactory = ({ lead, damping }, exchange) => {
  /** Steps of each worker, from where it joined. */
  const steps = new Map<number, number>();
  /** The least steps of anyone and how many are there; null when not everyone who may go on could be given examples. */
  let rear: { readonly least: number; count: number } | null = null;

  /** The least steps of those who are not done; 0 if there are none. */
  const slowestOf = (done: ReadonlySet<number>) => {
    let least = Number.POSITIVE_INFINITY;
    for (const [worker, count] of steps) if (!done.has(worker) && count < least) least = count;
    return least === Number.POSITIVE_INFINITY ? 0 : least;
  };

  const rearOf = (least: number) => {
    let count = 0;
    for (const own of steps.values()) if (own === least) count += 1;
    return { least, count };
  };

  const offer = () => {
    const active = exchange.active();
    // Who is away does not hold anybody up; back again, it is level with the slowest.
    const present = new Set(active);
    for (const worker of steps.keys()) if (!present.has(worker)) steps.delete(worker);
    const joinsAt = slowestOf(new Set());
    for (const worker of active) if (!steps.has(worker)) steps.set(worker, joinsAt);
    // At the end of the last epoch there may be examples left only for those who are ahead: who has none holds nobody up.
    const done = new Set<number>();
    for (;;) {
      const limit = slowestOf(done) + lead;
      const eligible = exchange.idle().filter((worker) => !done.has(worker) && (steps.get(worker) ?? 0) < limit);
      const released = new Set(exchange.release(eligible));
      if (released.size === eligible.length) {
        rear = done.size > 0 ? null : rearOf(limit - lead);
        return;
      }
      for (const worker of eligible) if (!released.has(worker)) done.add(worker);
    }
  };

  return {
    offer,
    deliver(delivery) {
      const staleness = exchange.version - delivery.version;
      exchange.decide(delivery, { kind: 'applied', staleness });
      const before = steps.get(delivery.worker);
      steps.set(delivery.worker, (before ?? 0) + 1);
      exchange.update(delivery.gradient, dampingFactor(damping, staleness), delivery.loss);
      if (before !== undefined && before === rear?.least) rear.count -= 1;
      // As long as somebody is where the slowest was, this step lets nobody else go on: no need to go through everyone.
      if (before === undefined || !rear || rear.count === 0) return offer();
      if (before + 1 < rear.least + lead && exchange.release([delivery.worker]).length === 0) offer();
    },
    gone(worker) {
      steps.delete(worker);
      offer();
    },
    tick: offer,
    ring: null,
  };
};

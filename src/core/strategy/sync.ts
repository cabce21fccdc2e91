import { Patience } from './patience.ts';
import type { Delivery, StrategyFactory } from './strategy.ts';

interface Round {
  /** By slot: the order in which gradients are added, so that a run can be repeated to the bit. */
  readonly members: number[];
  readonly missing: Set<number>;
  readonly deliveries: Map<number, Delivery>;
  readonly startedMs: number;
  /** Slots below this one are in the aggregate already. */
  slot: number;
  examples: number;
  /** Times examples. */
  lossSum: number;
  deadlineMs: number;
}

/**
 * Rounds: everyone computes on the same version; the aggregate of their gradients, as a rule the mean weighted by examples,
 * makes one update. A round ends when all but `backup` members delivered, or at its deadline with those who did.
 */
export const sync: StrategyFactory = ({ backup, deadline }, exchange) => {
  let round: Round | null = null;
  const aggregate = exchange.aggregate();
  const patience = new Patience(deadline);
  /** How many take part. Pushes do not change it, so it is not counted again for each. */
  let active = 0;
  const countActive = () => {
    if (backup > 0) active = exchange.active().length;
  };

  /** Adds what has come in, in slot order, up to the first gap (all of it when `isLast`). */
  const fold = (current: Round, isLast: boolean) => {
    for (; current.slot < current.members.length; current.slot++) {
      const member = current.members[current.slot] as number;
      const delivery = current.deliveries.get(member);
      if (delivery) {
        aggregate.add(delivery.gradient, delivery.examples);
        current.examples += delivery.examples;
        current.lossSum += delivery.examples * delivery.loss;
      } else if (current.missing.has(member) && !isLast) return;
    }
  };

  const start = () => {
    const members = exchange.release(exchange.idle());
    if (members.length === 0) return;
    aggregate.clear();
    round = {
      members: [...members],
      missing: new Set(members),
      deliveries: new Map(),
      startedMs: exchange.nowMs,
      slot: 0,
      examples: 0,
      lossSum: 0,
      deadlineMs: exchange.nowMs + patience.ms,
    };
    exchange.wakeAt(round.deadlineMs);
  };

  const finish = (current: Round) => {
    round = null;
    patience.learn(exchange.nowMs - current.startedMs);
    fold(current, true);
    const { gradient, scale } = aggregate.finish();
    for (const worker of current.missing) exchange.revoke(worker);
    for (const delivery of current.deliveries.values()) exchange.decide(delivery, { kind: 'applied', staleness: 0 });
    exchange.update(gradient, scale, current.lossSum / current.examples);
    start();
  };

  /** Whether some still work on an older round, and will join this one. */
  const hasStragglers = (delivered: number) => backup > 0 && active - exchange.idle().length - delivered > 0;

  const settle = () => {
    if (!round) return;
    const late = exchange.nowMs >= round.deadlineMs;
    const delivered = round.deliveries.size;
    const quorum = backup === 0 ? round.members.length : Math.max(1, active - backup);
    const isEnough = delivered >= quorum || (round.missing.size === 0 && !hasStragglers(delivered));
    if (delivered > 0 && (isEnough || late)) finish(round);
    else if (delivered + round.missing.size === 0) {
      round = null;
      start();
    } else if (late) {
      // Nobody delivered: there is nothing to go on with, so wait as long again.
      round.deadlineMs = exchange.nowMs + patience.ms;
      exchange.wakeAt(round.deadlineMs);
    }
  };

  /** Where rounds do not wait for everyone, whoever is done with an older one joins this one. */
  const welcome = (current: Round) => {
    const newcomers = exchange.idle().filter((worker) => !current.members.includes(worker));
    for (const worker of exchange.release(newcomers)) {
      current.members.push(worker);
      current.missing.add(worker);
    }
  };

  return {
    offer() {
      countActive();
      if (!round) return start();
      if (backup > 0) welcome(round);
      settle();
    },
    deliver(delivery) {
      if (!round?.missing.has(delivery.worker) || delivery.version !== exchange.version) {
        exchange.decide(delivery, { kind: 'stale', staleness: exchange.version - delivery.version });
        return this.offer();
      }
      round.missing.delete(delivery.worker);
      round.deliveries.set(delivery.worker, delivery);
      fold(round, false);
      settle();
    },
    gone(worker) {
      if (!round) return;
      // What it delivered stays; the round no longer waits for the rest.
      round.missing.delete(worker);
      countActive();
      settle();
    },
    tick() {
      countActive();
      settle();
    },
    ring: null,
  };
};

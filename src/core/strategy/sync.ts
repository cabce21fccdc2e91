import type { RoundAggregate } from '../math/aggregate/aggregate.ts';
import { Patience } from './patience.ts';
import type { Delivery, Field, StrategyFactory } from './strategy.ts';

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
export const sync: StrategyFactory = ({ backup, deadline }) => {
  let round: Round | null = null;
  let aggregate: RoundAggregate | null = null;
  const patience = new Patience(deadline);
  /** How many take part. Pushes do not change it, so it is not counted again for each. */
  let active = 0;
  const countActive = (field: Field) => {
    if (backup > 0) active = field.active().length;
  };

  /** Adds what has come in, in slot order, as far as no gap is left (all of it when `isLast`). */
  const fold = (current: Round, into: RoundAggregate, isLast: boolean) => {
    for (; current.slot < current.members.length; current.slot++) {
      const member = current.members[current.slot] as number;
      const delivery = current.deliveries.get(member);
      if (delivery) {
        into.add(delivery.gradient, delivery.examples);
        current.examples += delivery.examples;
        current.lossSum += delivery.examples * delivery.loss;
      } else if (current.missing.has(member) && !isLast) return;
    }
  };

  const start = (field: Field) => {
    const members = field.release(field.idle());
    if (members.length === 0) return;
    aggregate ??= field.aggregate();
    aggregate.clear();
    round = {
      members: [...members],
      missing: new Set(members),
      deliveries: new Map(),
      startedMs: field.nowMs,
      slot: 0,
      examples: 0,
      lossSum: 0,
      deadlineMs: field.nowMs + patience.ms,
    };
    field.wakeAt(round.deadlineMs);
  };

  const finish = (current: Round, into: RoundAggregate, field: Field) => {
    round = null;
    patience.learn(field.nowMs - current.startedMs);
    fold(current, into, true);
    const { gradient, scale } = into.finish();
    for (const worker of current.missing) field.revoke(worker);
    for (const delivery of current.deliveries.values()) field.judge(delivery, { kind: 'applied', staleness: 0 });
    field.update(gradient, scale, current.lossSum / current.examples);
    start(field);
  };

  /** Whether some are still at work on an older round; they will be welcome to this one. */
  const hasStragglers = (delivered: number, field: Field) => backup > 0 && active - field.idle().length - delivered > 0;

  const settle = (field: Field) => {
    if (!round || !aggregate) return;
    const late = field.nowMs >= round.deadlineMs;
    const delivered = round.deliveries.size;
    const quorum = backup === 0 ? round.members.length : Math.max(1, active - backup);
    const isEnough = delivered >= quorum || (round.missing.size === 0 && !hasStragglers(delivered, field));
    if (delivered > 0 && (isEnough || late)) finish(round, aggregate, field);
    else if (delivered + round.missing.size === 0) {
      round = null;
      start(field);
    } else if (late) {
      // Nobody delivered: there is nothing to go on with, so wait as long again.
      round.deadlineMs = field.nowMs + patience.ms;
      field.wakeAt(round.deadlineMs);
    }
  };

  /** Where rounds do not wait for everyone, whoever is done with an older one may still be of use to this one. */
  const welcome = (current: Round, field: Field) => {
    const newcomers = field.idle().filter((worker) => !current.members.includes(worker));
    for (const worker of field.release(newcomers)) {
      current.members.push(worker);
      current.missing.add(worker);
    }
  };

  return {
    keeper: 'host',
    admits: () => true,
    offer(field) {
      countActive(field);
      if (!round) return start(field);
      if (backup > 0) welcome(round, field);
      settle(field);
    },
    deliver(delivery, field) {
      if (!round || !aggregate || !round.missing.has(delivery.worker) || delivery.version !== field.version) {
        field.judge(delivery, { kind: 'stale', staleness: field.version - delivery.version });
        return this.offer(field);
      }
      round.missing.delete(delivery.worker);
      round.deliveries.set(delivery.worker, delivery);
      fold(round, aggregate, false);
      settle(field);
    },
    gone(worker, field) {
      if (!round) return;
      // What it delivered stays; what it had not is no longer waited for.
      round.missing.delete(worker);
      countActive(field);
      settle(field);
    },
    tick(field) {
      countActive(field);
      settle(field);
    },
    holder: () => null,
    forget() {},
    reduced() {},
    unreachable() {},
  };
};

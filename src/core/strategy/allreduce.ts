import { Patience } from './patience.ts';
import type { Delivery, StrategyFactory } from './strategy.ts';

/** A worker that others could not reach this often in a row is left out until it comes back on a new link. */
const MAX_STRIKES = 3;

interface Round {
  /** Rises whenever the ring is formed anew: what belongs to an older one no longer counts. */
  ring: number;
  members: readonly number[];
  /** Members that need parameters from another before they can compute. */
  readonly newcomers: Set<number>;
  readonly missing: Set<number>;
  readonly deliveries: Map<number, Delivery>;
  /** The checksum of each member's mean. */
  readonly reduced: Map<number, number>;
  readonly startedMs: number;
  deadlineMs: number;
}

/**
 * All-reduce: every worker has the parameters and moves them itself, by the mean that the workers of a ring make among
 * themselves; the host keeps only membership and says when a mean counts.
 *
 * Safety: a mean counts once every member has the same, whole; each then hears `applied`, and moves its parameters once. If
 * a member is lost before, the others make the mean again in a new ring, from the gradients they kept.
 * Liveness: nobody waits for a member beyond the round's deadline.
 */
export const allreduce: StrategyFactory = ({ deadline }, exchange) => {
  const patience = new Patience(deadline);
  const strikes = new Map<number, number>();
  /** Workers with the parameters of the current version. */
  let holders = new Set<number>();
  let round: Round | null = null;
  let rings = 0;

  const isWelcome = (worker: number) => (strikes.get(worker) ?? 0) < MAX_STRIKES;

  const start = () => {
    const idle = exchange.idle().filter(isWelcome);
    const donors = donorsAmong();
    // The first parameters follow from the seed; later ones, if no worker has them any more, are the host's last copy.
    const isFromHost = donors.length === 0 && exchange.version > 0;
    const members = exchange.release(idle, !isFromHost);
    if (members.length === 0) return;
    const hasOwn = (worker: number) => donors.length === 0 || holders.has(worker);
    round = {
      ring: 0,
      members,
      newcomers: new Set(members.filter((worker) => !hasOwn(worker))),
      missing: new Set(members),
      deliveries: new Map(),
      reduced: new Map(),
      startedMs: exchange.nowMs,
      deadlineMs: 0,
    };
    form(round);
  };

  /** Those who can give the current parameters to others, even if they pause. */
  const donorsAmong = () => exchange.present().filter((worker) => holders.has(worker));

  const form = (current: Round) => {
    const donors = donorsAmong();
    rings += 1;
    current.ring = rings;
    current.reduced.clear();
    current.deadlineMs = exchange.nowMs + patience.ms;
    exchange.wakeAt(current.deadlineMs);
    const feeds = [...current.newcomers].map((to, i) => ({ from: donors[i % donors.length] as number, to }));
    exchange.form({ ring: rings, members: [...current.members], feeds }, [
      ...new Set([...current.members, ...feeds.map(({ from }) => from)]),
    ]);
  };

  /** What the member did for this round was in vain; it will be free again. */
  const letGo = (current: Round, worker: number) => {
    const delivery = current.deliveries.get(worker);
    if (delivery) exchange.decide(delivery, { kind: 'stale', staleness: 0 });
    else exchange.revoke(worker);
    exchange.form({ ring: current.ring, members: [], feeds: [] }, [worker]);
  };

  /** The member is no longer in the round; who is left makes the mean anew. */
  const shrink = (current: Round, worker: number) => {
    current.members = current.members.filter((member) => member !== worker);
    current.missing.delete(worker);
    current.deliveries.delete(worker);
    current.newcomers.delete(worker);
    regroup(current);
  };

  /** Another ring of those who are left. */
  const regroup = (current: Round) => {
    const canBeFed = current.newcomers.size === 0 || donorsAmong().length > 0;
    if (current.members.length > 0 && canBeFed) return form(current);
    // Whoever is left waits for parameters that nobody has any more: all start again from the host's copy.
    round = null;
    for (const member of current.members) letGo(current, member);
    start();
  };

  const exclude = (current: Round, worker: number) => {
    letGo(current, worker);
    shrink(current, worker);
  };

  const blame = (current: Round, worker: number) => {
    strikes.set(worker, (strikes.get(worker) ?? 0) + 1);
    if (!isWelcome(worker)) exchange.warn(worker, 'Other workers cannot work with it, so it does not take part.');
    exclude(current, worker);
  };

  const commit = (current: Round) => {
    round = null;
    holders = new Set(current.members);
    patience.learn(exchange.nowMs - current.startedMs);
    let [examples, lossSum] = [0, 0];
    for (const delivery of current.deliveries.values()) {
      examples += delivery.examples;
      lossSum += delivery.examples * delivery.loss;
      strikes.delete(delivery.worker);
      exchange.decide(delivery, { kind: 'applied', staleness: 0 });
    }
    exchange.advance(lossSum / examples);
    start();
  };

  const settle = () => {
    const current = round;
    if (!current) return;
    if (current.reduced.size === current.members.length) {
      const odd = oddOnes(current.reduced);
      if (odd.length === 0) return commit(current);
      for (const worker of odd) if (round === current) blame(current, worker);
      return;
    }
    if (exchange.nowMs < current.deadlineMs) return;
    // If nobody is done there is nothing to go on with; if everybody is, a link is slow. Either way, wait as long again.
    const late = current.deliveries.size === 0 ? [] : [...current.missing];
    if (late.length === 0) {
      current.deadlineMs = exchange.nowMs + patience.ms;
      exchange.wakeAt(current.deadlineMs);
    }
    for (const worker of late) if (round === current) exclude(current, worker);
  };

  return {
    offer() {
      if (!round) start();
    },
    deliver(delivery) {
      const isExpected = round?.missing.has(delivery.worker) && delivery.version === exchange.version;
      if (!round || !isExpected) {
        exchange.decide(delivery, { kind: 'stale', staleness: exchange.version - delivery.version });
        return this.offer();
      }
      round.missing.delete(delivery.worker);
      round.deliveries.set(delivery.worker, delivery);
    },
    gone(worker, isAway) {
      const wasDonor = isAway && holders.delete(worker);
      if (isAway) strikes.delete(worker);
      if (round?.members.includes(worker)) shrink(round, worker);
      else if (round && wasDonor && round.newcomers.size > 0) regroup(round);
    },
    tick: settle,
    ring: {
      holder: () => holders.values().next().value ?? null,
      forget: (worker) => holders.delete(worker),
      reduced(worker, ring, checksum) {
        if (ring !== round?.ring || !round.deliveries.has(worker)) return;
        round.reduced.set(worker, checksum);
        settle();
      },
      unreachable(worker, ring, peer) {
        if (ring !== round?.ring || !round.members.includes(worker) || !round.members.includes(peer)) return;
        // Whoever has no parameters yet and cannot reach those who do is itself the one to leave out.
        const blamed = round.newcomers.has(worker) && !round.newcomers.has(peer) ? worker : peer;
        blame(round, blamed);
      },
    },
  };
};

/** Members whose mean differs from the most common one; none if all agree. */
function oddOnes(reduced: ReadonlyMap<number, number>): number[] {
  const votes = new Map<number, number>();
  for (const checksum of reduced.values()) votes.set(checksum, (votes.get(checksum) ?? 0) + 1);
  if (votes.size <= 1) return [];
  const [usual] = [...votes].reduce((best, vote) => (vote[1] > best[1] ? vote : best));
  return [...reduced].filter(([, checksum]) => checksum !== usual).map(([worker]) => worker);
}

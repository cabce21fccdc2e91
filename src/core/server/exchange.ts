import type { Delivery } from '../strategy/strategy.ts';
import type { Lease, ToWorker, Verdict } from '../wire/protocol.ts';
import type { Member } from './member.ts';
import type { Run } from './run.ts';

export type Send = (member: Member, message: ToWorker, withParams?: boolean) => void;

/** What one run gives its workers and takes from them: examples, parameters, verdicts. */
export class Exchange {
  readonly run: Run;
  readonly #send: Send;
  /** Whose push has a verdict that was not sent. */
  readonly #judged = new Set<Member>();
  readonly #leasesAhead: number;

  constructor(run: Run, send: Send) {
    this.run = run;
    this.#send = send;
    const { strategy, overlap } = run.plan.experiment;
    // The lease it computes and the one whose batch it prepares meanwhile; with overlap, one more is being handed in. Where
    // parameters have keys, those of the next are already told, and the one being prepared is the next but one.
    this.#leasesAhead = (strategy === 'async' && overlap) || run.keys ? 3 : 2;
  }

  /** Gives examples and, unless `isBare`, fresh parameters to those who are idle, in this order; returns who got some. */
  release(members: readonly Member[], isBare: boolean, nowMs: number): Member[] {
    const { run } = this;
    const fresh = new Map(members.filter((member) => member.isIdle).map((member) => [member, [] as Lease[]]));
    // Everyone's next batch before anyone's next but one: rounds then take examples in the order of one big batch.
    for (let depth = 1; depth <= this.#leasesAhead; depth++) {
      for (const [member, leases] of fresh) {
        if (run.leases.heldBy(member.worker).length >= depth) continue;
        const lease = run.leases.deal(member.worker);
        if (lease) leases.push(lease);
      }
    }
    const released = [...fresh.keys()].filter((member) => run.leases.heldBy(member.worker).length > 0);
    for (const member of released) {
      member.phase = 'computing';
      member.previousVersion = member.version;
      member.version = run.version;
      member.isRevoked = false;
      const leases = fresh.get(member) ?? [];
      const due = run.keys ? (run.leases.heldBy(member.worker)[0]?.id ?? 0) : 0;
      member.owesKeys = run.keys !== null && run.keys.of(due) === null;
      const isWhole = !isBare && !member.owesKeys;
      if (member.pending) this.#answer(member, leases, isWhole ? 'parameters' : 'bare', nowMs, due);
      else this.#work(member, leases, due, isWhole);
    }
    return released;
  }

  /** The worker told the keys of the lease that is due: it gets their values as they are now. */
  feed(member: Member, due: number): void {
    member.owesKeys = false;
    member.version = this.run.version;
    this.#work(member, [], due, true);
  }

  #work(member: Member, leases: Lease[], due: number, withParams: boolean): void {
    const { run, version } = this.run;
    this.#send(member, { type: 'work', run, version, pauses: member.pauses, leases, due }, withParams);
  }

  /** Says what became of a delivery; its worker hears it with its next parameters, or from `answerRest`. */
  judge(member: Member, delivery: Delivery, verdict: Exclude<Verdict, { kind: 'rejected' }>, nowMs: number): void {
    member.delivered = null;
    if (verdict.kind === 'applied') this.run.leases.settle(delivery.lease);
    else this.run.leases.giveBack(delivery.lease);
    this.run.counters[verdict.kind] += 1;
    if (!this.run.keys) this.run.decoder.recycle(delivery.gradient.values);
    this.decide(member, verdict, delivery.examples, nowMs);
  }

  /** No round will come for what this member delivered: it was in vain. */
  dismiss(member: Member, nowMs: number): void {
    if (!member.pending || member.pending.verdict) return;
    if (member.delivered !== null) this.run.leases.giveBack(member.delivered);
    member.delivered = null;
    this.run.counters.stale += 1;
    this.decide(member, { kind: 'stale', staleness: 0 }, 0, nowMs);
  }

  /** The verdict on the pending push, if there is one. */
  decide(member: Member, verdict: Verdict, examples: number, nowMs: number): void {
    member.count(verdict, examples, nowMs);
    if (!member.pending) return;
    member.pending.verdict = verdict;
    this.#judged.add(member);
  }

  /** Whoever was judged but not released gets its answer now, and waits. */
  answerRest(nowMs: number): void {
    for (const member of this.#judged) this.answer(member, nowMs);
  }

  /** If this one was judged but not released, it gets its answer now. */
  answer(member: Member, nowMs: number): void {
    if (!this.#judged.has(member)) return;
    this.#answer(member, [], 'wait', nowMs);
    if (member.phase === 'held') member.phase = 'ready';
  }

  /** Takes back what the worker computes, but neither what it delivered nor what it holds for later. */
  revoke(member: Member): void {
    const oldest = this.run.leases.heldBy(member.worker)[0];
    if (oldest) this.run.leases.giveBack(oldest.id);
    member.isRevoked = true;
  }

  /** Takes back everything the worker has not delivered. */
  reclaim(member: Member): void {
    for (const { id } of this.run.leases.heldBy(member.worker)) {
      if (id !== member.delivered) this.run.leases.giveBack(id);
    }
  }

  /** The one answer to the pending push, once it was judged. */
  #answer(member: Member, leases: Lease[], then: 'parameters' | 'bare' | 'wait', nowMs: number, due = 0): void {
    this.#judged.delete(member);
    const { pending } = member;
    if (!pending?.verdict) return;
    member.pending = null;
    const { seq, verdict, sinceMs } = pending;
    const { run, version } = this.run;
    const { pauses } = member;
    const [heldMs, isNext] = [nowMs - sinceMs, then !== 'wait'];
    const answer: ToWorker = { type: 'answer', run, seq, verdict, version, pauses, heldMs, isNext, leases, due };
    this.#send(member, answer, then === 'parameters');
  }
}

import type { Member } from './member.ts';
import type { Lease, ToWorker, Verdict } from './protocol.ts';
import type { Run } from './run.ts';
import type { Delivery } from './strategy/strategy.ts';

/** A worker holds the lease it computes and the one whose batch it prepares meanwhile. */
const LEASES_AHEAD = 2;

export type Send = (member: Member, message: ToWorker, withParams?: boolean) => void;

/** What one run gives its workers and takes from them: examples, parameters, verdicts. */
export class Exchange {
  readonly run: Run;
  readonly #send: Send;

  constructor(run: Run, send: Send) {
    this.run = run;
    this.#send = send;
  }

  /** Gives fresh parameters and examples to those who are idle, in this order; returns who got some. */
  release(members: readonly Member[], nowMs: number): Member[] {
    const { run } = this;
    const fresh = new Map(members.filter((member) => member.isIdle).map((member) => [member, [] as Lease[]]));
    // Everyone's next batch before anyone's next but one: rounds then take examples in the order of one big batch.
    for (let depth = 1; depth <= LEASES_AHEAD; depth++) {
      for (const [member, leases] of fresh) {
        if (run.leases.heldBy(member.worker).length >= depth) continue;
        const lease = run.leases.deal(member.worker);
        if (lease) leases.push(lease);
      }
    }
    const released = [...fresh.keys()].filter((member) => run.leases.heldBy(member.worker).length > 0);
    for (const member of released) {
      member.phase = 'computing';
      member.version = run.version;
      const leases = fresh.get(member) ?? [];
      if (member.pending) this.answer(member, leases, true, nowMs);
      else
        this.#send(member, { type: 'work', run: run.run, version: run.version, pauses: member.pauses, leases }, true);
    }
    return released;
  }

  /** Says what became of a delivery; its worker hears it with its next parameters, or from `answer`. */
  judge(member: Member, delivery: Delivery, verdict: Exclude<Verdict, { kind: 'rejected' }>, nowMs: number): void {
    member.delivered = null;
    if (verdict.kind === 'applied') this.run.leases.settle(delivery.lease);
    else this.run.leases.giveBack(delivery.lease);
    this.run.counters[verdict.kind] += 1;
    member.count(verdict, delivery.examples, nowMs);
    if (member.pending) member.pending.verdict = verdict;
  }

  /** No round will come for what this member delivered: it was in vain. */
  dismiss(member: Member, nowMs: number): void {
    if (!member.pending || member.pending.verdict) return;
    const verdict: Verdict = { kind: 'stale', staleness: 0 };
    if (member.delivered !== null) this.run.leases.giveBack(member.delivered);
    member.delivered = null;
    member.pending.verdict = verdict;
    this.run.counters.stale += 1;
    member.count(verdict, 0, nowMs);
  }

  /** The one answer to the pending push, once it was judged. */
  answer(member: Member, leases: Lease[], withParams: boolean, nowMs: number): void {
    const { pending } = member;
    if (!pending?.verdict) return;
    member.pending = null;
    const { seq, verdict, sinceMs } = pending;
    const { run, version } = this.run;
    const { pauses } = member;
    const heldMs = nowMs - sinceMs;
    this.#send(member, { type: 'answer', run, seq, verdict, version, pauses, heldMs, leases }, withParams);
  }

  /** Takes back what the worker computes, but neither what it delivered nor what it holds for later. */
  revoke(worker: number): void {
    const oldest = this.run.leases.heldBy(worker)[0];
    if (oldest) this.run.leases.giveBack(oldest.id);
  }

  /** Takes back everything the worker has not delivered. */
  reclaim(member: Member): void {
    for (const { id } of this.run.leases.heldBy(member.worker)) {
      if (id !== member.delivered) this.run.leases.giveBack(id);
    }
  }
}

import type { Delivery, Field } from '../strategy/strategy.ts';
import type { Rejection, ToHost, ToWorker, Verdict } from '../wire/protocol.ts';
import { Exchange } from './exchange.ts';
import { Looks } from './looks.ts';
import type { Member } from './member.ts';
import type { RunPhase, StopReason } from './progress.ts';
import { type Checked, checkPush, type Push } from './push-check.ts';
import { type Mark, Run, type RunPlan } from './run.ts';
import type { Effect, SavedServer, ServerEvent } from './server-events.ts';

const CHECKPOINT_MS = 5000;
/** This many unusable gradients in a row, with none applied between, mean that the run itself has diverged. */
const MAX_REJECTIONS = 20;

/** What a run sees of the server it belongs to. */
export interface Surroundings {
  readonly nowMs: number;
  readonly wallMs: number;
  readonly members: ReadonlyMap<number, Member>;
  /** Those who are here, by number. */
  readonly present: readonly Member[];
  send(member: Member, message: ToWorker, withParams?: boolean): void;
  do(effect: Effect): void;
  /** Tells everyone how the run stands. */
  broadcast(): void;
}

/** One run among the workers that are there: pushes in, verdicts and parameters out, looks at the test set, its end. */
export class Training {
  readonly run: Run;
  readonly #around: Surroundings;
  readonly #exchange: Exchange;
  readonly #looks: Looks;
  /** The worker that is asked for the parameters to look at, where workers keep them. */
  #askedWorker: number | null = null;
  #isFetchDue = false;
  #rejectionsInARow = 0;
  readonly #crew = new Set<Member>();
  #checkpointMs: number;
  /** Made once: a push is too frequent for a dozen new functions. */
  readonly #field: Field;

  constructor(plan: RunPlan, number: number, around: Surroundings, saved?: SavedServer) {
    this.run = new Run(plan, number, around.wallMs, saved);
    this.#around = around;
    this.#exchange = new Exchange(this.run, (member, message, withParams) => around.send(member, message, withParams));
    this.#looks = new Looks(this.run, (mark) => this.#ask(mark));
    this.#checkpointMs = around.nowMs;
    this.#field = this.#makeField();
  }

  /** The first look at the test set. */
  begin(): void {
    this.#look();
  }

  /** The end of an event: whoever was judged and not released hears it now. */
  settle(): void {
    this.#exchange.answerRest(this.#around.nowMs);
    // Last of all, when the worker has heard that its version counts.
    const member = this.#askedWorker === null ? undefined : this.#around.members.get(this.#askedWorker);
    if (this.#isFetchDue && member) this.#around.send(member, { type: 'fetch', run: this.run.run });
    this.#isFetchDue = false;
  }

  /** The run is given up; each push still gets its one answer. */
  close(): void {
    this.#dismissHeld();
    this.settle();
  }

  pause(): void {
    if (this.run.phase === 'running' || this.run.phase === 'waiting') this.#enter('paused');
  }

  resume(): void {
    if (this.run.phase === 'paused') this.#enter('waiting');
    this.offer();
  }

  /** Somebody may have become idle. */
  offer(): void {
    const { run } = this;
    if (run.isOver) return;
    if (run.phase === 'waiting') {
      const { strategy, workers } = run.plan.experiment;
      const needed = run.version > 0 || strategy === 'single' ? 1 : workers;
      if (this.#admitted().filter((member) => member.isActive).length < needed) return;
      this.#enter('running');
    }
    run.strategy.offer(this.#field);
  }

  /** False if what it says of the keys to come makes no sense. */
  push(member: Member, push: Push, body: Uint8Array): boolean {
    const checked = checkPush(this.run, member, push, body);
    if (checked.kind === 'unexpected') rejectPush(this.#around, this.run, member, push, checked.reason);
    else if (!this.#learnKeys(member, push, body)) return false;
    else this.#take(member, push, checked);
    return true;
  }

  /** The keys of the lease that is next, so that its values can come with the answer. */
  #learnKeys({ worker }: Member, { next }: Push, body: Uint8Array): boolean {
    const { keys, leases } = this.run;
    const lease = next && keys ? leases.find(next.lease, worker) : null;
    if (!next || !keys || !lease || keys.of(lease.id)) return true;
    return next.bytes <= body.length && keys.take(lease, next.count, body.subarray(body.length - next.bytes));
  }

  #take(member: Member, push: Push, checked: Exclude<Checked, { kind: 'unexpected' }>): void {
    const { run } = this;
    member.lastSeq = push.seq;
    member.phase = 'held';
    member.pending = { seq: push.seq, sinceMs: this.#around.nowMs, verdict: null };
    if (checked.kind === 'unusable') {
      if (checked.lease) run.leases.giveBack(checked.lease.id);
      return this.#refuse(member, checked.reason);
    }
    member.measure(push, { ...run.mark(this.#around.nowMs, this.#around.wallMs), loss: push.loss });
    const { lease, version, examples, loss } = push;
    const { gradient } = checked;
    const delivery: Delivery = { worker: member.worker, lease, version, examples, loss, gradient };
    // A lease that was taken back, or a run that no longer runs: too late, whatever the strategy.
    if (!checked.lease || run.isOver) {
      const staleness = run.latestVersion - push.version;
      this.#exchange.judge(member, delivery, { kind: 'stale', staleness }, this.#around.nowMs);
      return this.offer();
    }
    member.delivered = push.lease;
    run.strategy.deliver(delivery, this.#field);
  }

  /** The keys of the lease that is due, which the worker was told to compute; false if they make no sense. */
  pull(
    member: Member,
    { run: number, lease: id, count }: Extract<ToHost, { type: 'pull' }>,
    body: Uint8Array,
  ): boolean {
    const { run } = this;
    if (number !== run.run || !run.keys || !member.owesKeys || member.phase !== 'computing') return true;
    const lease = run.leases.find(id, member.worker);
    if (lease && !run.isOver) {
      if (!run.keys.take(lease, count, body)) return false;
      this.#exchange.feed(member, id);
      return true;
    }
    // It was taken back meanwhile: the worker is free for another.
    member.phase = 'ready';
    if (!run.isOver) run.strategy.gone(member.worker, this.#field, false);
    this.offer();
    return true;
  }

  /** The worker could not compute its lease: as a push of no use, but there is nothing to answer. */
  trouble(member: Member, { run, lease }: Extract<ToHost, { type: 'trouble' }>): void {
    if (run !== this.run.run) return;
    const isHeld = lease !== member.delivered && this.run.leases.find(lease, member.worker) !== null;
    if (isHeld) this.run.leases.giveBack(lease);
    // It went on while its push was on the way, and was told to wait meanwhile.
    if (member.phase !== 'computing') return this.offer();
    member.phase = 'ready';
    this.#refuse(member, 'not-finite');
  }

  ringNews(member: Member, news: Extract<ToHost, { type: 'reduced' | 'unreachable' }>): void {
    if (news.run !== this.run.run || this.run.isOver) return;
    const { strategy } = this.run;
    if (news.type === 'reduced') strategy.reduced(member.worker, news.ring, news.checksum, this.#field);
    else strategy.unreachable(member.worker, news.ring, news.peer, this.#field);
    this.offer();
  }

  /** Workers of a ring connect to each other with the help of the host, who reads nothing of it. */
  passOn(member: Member, { peer, data }: Extract<ToHost, { type: 'signal' }>): void {
    const other = this.#around.members.get(peer);
    if (other && other !== member && this.run.strategy.keeper === 'workers') {
      this.#around.send(other, { type: 'signal', peer: member.worker, data });
    }
  }

  /** The parameters a worker was asked for; false if they are not what they must be. */
  copied(member: Member, state: Extract<ToHost, { type: 'state' }>, body: Uint8Array): boolean {
    if (state.run !== this.run.run || this.#askedWorker !== member.worker) return true;
    if (state.version !== this.#looks.version || !this.run.takeCopy(state.version, body)) return false;
    this.#askedWorker = null;
    this.#checkpoint();
    this.#evaluate(state.version);
    return true;
  }

  evaluated({ run: number, version, ...result }: Extract<ServerEvent, { type: 'evaluated' }>): void {
    const { run } = this;
    const point = run.run === number ? this.#looks.take(version, result) : null;
    if (!point) return;
    if (!Number.isFinite(point.loss)) return this.fail('diverged');
    if (run.phase === 'finishing') return version === run.version ? this.#enter('finished') : this.#look();
    const { untilLoss } = run.plan.experiment;
    if (untilLoss !== null && point.loss <= untilLoss) {
      run.endAtLook();
      return this.stop('loss');
    }
    if (!this.#looks.letGo(this.#around.nowMs)) return;
    this.#look();
    this.offer();
  }

  stop(reason: StopReason): void {
    const { run } = this;
    if (run.isOver) return;
    run.stopReason = reason;
    this.#enter('finishing');
    this.#dismissHeld();
    this.#looks.letGo(this.#around.nowMs);
    if (run.test.points.at(-1)?.step === run.version) return this.#enter('finished');
    if (!this.#looks.isUnderWay) this.#look();
  }

  fail(reason: StopReason): void {
    if (this.run.phase === 'failed' || this.run.phase === 'finished') return;
    this.run.stopReason = reason;
    this.#enter('failed');
    this.#dismissHeld();
  }

  tick(): void {
    if (this.run.phase !== 'running') return;
    this.#checkStop();
    this.run.strategy.tick(this.#field);
  }

  /** The worker computes no more; a push already delivered stays with its round. */
  lose(member: Member, isAway: boolean): void {
    const { run } = this;
    if (run.strategy.keeper === 'workers') {
      // What it delivered is still with it, and goes with it.
      this.#exchange.dismiss(member, this.#around.nowMs);
      member.delivered = null;
    }
    this.#exchange.reclaim(member);
    if (member.phase === 'computing') member.phase = 'ready';
    if (run.isOver && isAway) run.strategy.forget(member.worker);
    if (member.delivered === null && !run.isOver) run.strategy.gone(member.worker, this.#field, isAway);
    if (run.phase === 'running' && !this.#admitted().some((other) => !other.isPaused)) this.#enter('waiting');
    this.offer();
    if (!isAway || this.#askedWorker !== member.worker) return;
    // It took the parameters with it; another has them, perhaps of a later version.
    this.#askedWorker = null;
    this.#look();
  }

  /** What the worker was given led to nothing: it goes on all the same. */
  #refuse(member: Member, reason: Rejection): void {
    this.#exchange.decide(member, { kind: 'rejected', reason }, 0, this.#around.nowMs);
    this.run.counters.rejected += 1;
    this.#rejectionsInARow += 1;
    if (this.#rejectionsInARow >= MAX_REJECTIONS) return this.fail('diverged');
    if (!this.run.isOver) this.run.strategy.gone(member.worker, this.#field, false);
    this.offer();
  }

  /** What the strategy may see and do, for the length of one event. */
  #makeField(): Field {
    const { run } = this;
    const exchange = this.#exchange;
    const around = this.#around;
    const { members } = around;
    const isOpen = () => run.phase === 'running' && !this.#looks.holdsTraining;
    const numbers = (some: readonly Member[]) => some.map(({ worker }) => worker);
    return {
      get nowMs() {
        return around.nowMs;
      },
      get version() {
        return run.version;
      },
      aggregate: () => run.aggregate(),
      present: () => numbers(this.#admitted()),
      active: () => numbers(this.#admitted().filter((member) => member.isActive)),
      idle: () => (isOpen() ? numbers(this.#admitted().filter((member) => member.isIdle)) : []),
      update: (gradient, scale, loss) => {
        run.apply(gradient, scale, loss, around.nowMs, around.wallMs);
        this.#updated();
      },
      advance: (loss) => {
        run.advance(loss, around.nowMs, around.wallMs);
        this.#updated();
      },
      judge: (delivery, verdict) => {
        if (verdict.kind === 'applied') this.#rejectionsInARow = 0;
        const member = members.get(delivery.worker);
        if (member) exchange.judge(member, delivery, verdict, around.nowMs);
      },
      revoke: (worker) => {
        const member = members.get(worker);
        if (member) exchange.revoke(member);
      },
      release: (workers, isBare = false) => {
        if (!isOpen()) return [];
        if (!isBare && workers.length > 0) run.fallBackToCopy();
        return numbers(
          exchange.release(
            workers.flatMap((worker) => members.get(worker) ?? []),
            isBare,
            around.nowMs,
          ),
        );
      },
      form: (ring, to) => {
        for (const worker of to) {
          const member = members.get(worker);
          if (!member) continue;
          // Whoever is to feed others must have heard before that the version counts.
          exchange.answer(member, around.nowMs);
          around.send(member, { type: 'ring', run: run.run, version: run.version, ...ring });
        }
      },
      warn: (worker, text) => {
        const member = members.get(worker);
        if (member) member.trouble = text;
      },
      wakeAt: (atMs) => this.#around.do({ type: 'wake', atMs }),
    };
  }

  #admitted(): readonly Member[] {
    const { strategy, plan } = this.run;
    const may = this.#around.present.filter((member) => strategy.admits(member.isLocal));
    return plan.most === undefined ? may : this.#crewOf(may, plan.most);
  }

  /** Whoever is in stays in until it leaves, so that nobody is dropped in the middle of a round. */
  #crewOf(may: readonly Member[], most: number): readonly Member[] {
    for (const member of this.#crew) if (!member.isHere) this.#crew.delete(member);
    // The host's own worker has its place even if others are ready sooner.
    const kept = may.some((member) => member.isLocal && member.phase === 'preparing') ? 1 : 0;
    for (const member of may) {
      if (this.#crew.size < most - kept && member.phase !== 'preparing') this.#crew.add(member);
    }
    return may.filter((member) => this.#crew.has(member));
  }

  #updated(): void {
    const { nowMs, wallMs } = this.#around;
    this.#looks.updated(nowMs, wallMs);
    if (this.run.strategy.keeper === 'host' && nowMs - this.#checkpointMs >= CHECKPOINT_MS) this.#checkpoint();
    this.#checkStop();
  }

  #checkStop(): void {
    const reason = this.run.phase === 'running' ? this.run.reachedStop(this.#around.nowMs) : null;
    if (reason) this.stop(reason);
  }

  /** The round that pushes wait for will not end; each still gets its one answer. */
  #dismissHeld(): void {
    for (const member of this.#around.present) this.#exchange.dismiss(member, this.#around.nowMs);
  }

  #enter(phase: RunPhase): void {
    this.run.enter(phase, this.#around.nowMs);
    this.#around.broadcast();
    if (phase === 'paused' || phase === 'finished') this.#checkpoint();
  }

  #checkpoint(): void {
    this.#checkpointMs = this.#around.nowMs;
    this.#around.do({ type: 'checkpoint' });
  }

  #look(): void {
    this.#looks.look(this.#around.nowMs, this.#around.wallMs);
  }

  /** Gets the parameters to be looked at to the evaluator. */
  #ask(mark: Mark): void {
    const { run } = this;
    if (run.strategy.keeper === 'host' || run.isCopyCurrent) return this.#evaluate(mark.step);
    this.#askedWorker = run.strategy.holder();
    if (this.#askedWorker === null) {
      run.fallBackToCopy();
      return this.#evaluate(mark.step);
    }
    run.prepareCopy(this.#around.nowMs);
    this.#isFetchDue = true;
  }

  #evaluate(version: number): void {
    this.#looks.remember();
    this.#around.do({ type: 'evaluate', run: this.run.run, version });
  }
}

/** Answers a push that was not expected, and leaves everything as it is. */
export function rejectPush(around: Surroundings, run: Run | null, member: Member, push: Push, reason: Rejection): void {
  const verdict: Verdict = { kind: 'rejected', reason };
  member.count(verdict, 0, around.nowMs);
  const { pauses } = member;
  const answer = {
    seq: push.seq,
    verdict,
    version: run?.version ?? 0,
    pauses,
    heldMs: 0,
    isNext: false,
    leases: [],
    due: 0,
  };
  around.send(member, { type: 'answer', run: push.run, ...answer });
}

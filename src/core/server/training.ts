import { type Delivery, type Strategy, strategies } from '../strategy/strategy.ts';
import type { Rejection, ToHost } from '../wire/protocol.ts';
import { Crew } from './crew.ts';
import { Evaluations } from './evaluations.ts';
import { Exchange, reject } from './exchange.ts';
import type { RunPhase, StopReason } from './progress.ts';
import { type Checked, checkPush, type Push } from './push-check.ts';
import type { Roster } from './roster.ts';
import { Run, type RunPlan } from './run.ts';
import type { SavedServer } from './saved-run.ts';
import type { ServerEvent } from './server-events.ts';
import type { Session } from './session.ts';
import type { Turn } from './turn.ts';

const CHECKPOINT_MS = 5000;
const PROGRESS_MS = 1000;
/** This many unusable gradients in a row, with none applied between, mean that the run itself has diverged. */
const MAX_REJECTIONS = 20;

interface TrainingOptions {
  readonly plan: RunPlan;
  readonly number: number;
  readonly roster: Roster;
  readonly turn: Turn;
  readonly saved: SavedServer | undefined;
}

/** One run among the workers that are there: pushes in, verdicts and parameters out, evaluations, its end. */
export class Training {
  readonly run: Run;
  readonly #roster: Roster;
  readonly #turn: Turn;
  readonly #crew: Crew;
  readonly #exchange: Exchange;
  readonly #evaluations: Evaluations;
  readonly #strategy: Strategy;
  #checkpointMs: number;
  #progressMs = 0;

  constructor({ plan, number, roster, turn, saved }: TrainingOptions) {
    const run = new Run(plan, number, turn.wallMs, saved);
    const crew = new Crew(run, roster);
    const holder = () => this.#strategy.ring?.holder() ?? null;
    const evaluations = new Evaluations({ run, roster, turn, holder });
    this.run = run;
    this.#roster = roster;
    this.#turn = turn;
    this.#crew = crew;
    this.#evaluations = evaluations;
    this.#exchange = new Exchange({ run, roster, crew, turn, evaluations, onUpdate: () => this.#updated() });
    this.#strategy = strategies[plan.experiment.strategy](plan.experiment, this.#exchange);
    this.#checkpointMs = turn.nowMs;
  }

  /** Invites everyone who is here, and evaluates the first parameters. */
  begin(): void {
    for (const session of this.#roster.present.values()) this.invite(session);
    this.#evaluations.begin();
  }

  invite(session: Session): void {
    const { run, plan } = this.run;
    this.#turn.send(session, { type: 'run', run, schema: plan.schema.hash, experiment: plan.experiment });
    this.#sendProgress(session);
  }

  /** The end of an event: whoever has a verdict and no work hears it now. */
  settle(): void {
    this.#exchange.settle();
    this.#evaluations.settle();
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
    if (this.run.isOver) return;
    if (this.run.phase === 'waiting') {
      if (!this.#crew.isEnough) return;
      this.#enter('running');
    }
    this.#strategy.offer();
  }

  /** False if the keys of the next lease are malformed. */
  push(session: Session, push: Push, body: Uint8Array): boolean {
    const checked = checkPush(this.run, session, push, body);
    if (checked.kind === 'unexpected') reject(this.#turn, session, push, this.run.version, checked.reason);
    else if (!this.#learnKeys(session, push, body)) return false;
    else this.#take(session, push, checked);
    return true;
  }

  /** Takes the keys of the next lease, so that their values can come with the answer. */
  #learnKeys({ member }: Session, { next }: Push, body: Uint8Array): boolean {
    const { keys, leases } = this.run;
    const lease = next && keys ? leases.find(next.lease, member.worker) : null;
    if (!next || !keys || !lease || keys.of(lease.id)) return true;
    return next.bytes <= body.length && keys.take(lease, next.count, body.subarray(body.length - next.bytes));
  }

  #take(session: Session, push: Push, checked: Exclude<Checked, { kind: 'unexpected' }>): void {
    const { run } = this;
    const { nowMs, wallMs } = this.#turn;
    session.hold(push.seq, nowMs);
    const isInVain = checked.kind === 'unusable' || run.isOver;
    if (checked.lease && isInVain) run.leases.giveBack(checked.lease.id);
    if (checked.kind === 'unusable') return this.#refuse(session, checked.reason);
    const { member } = session;
    const { gradient } = checked;
    member.measure(push, { ...run.mark(nowMs, wallMs), loss: push.loss });
    if (!checked.lease || isInVain) {
      this.#exchange.tooLate(session, run.latestVersion - push.version, gradient);
      return this.offer();
    }
    const { lease, version, examples, loss } = push;
    const delivery: Delivery = { worker: member.worker, lease, version, examples, loss, gradient };
    run.leases.deliver(lease);
    this.#strategy.deliver(delivery);
  }

  /** Takes the keys of the lease that is due; false if they are malformed. */
  pull(session: Session, pull: Extract<ToHost, { type: 'pull' }>, body: Uint8Array): boolean {
    const { run } = this;
    const { work, member } = session;
    if (pull.run !== run.run || !run.keys || work.kind !== 'computing' || !work.owesKeys) return true;
    const lease = run.leases.find(pull.lease, member.worker);
    if (lease && !run.isOver) {
      if (!run.keys.take(lease, pull.count, body)) return false;
      this.#exchange.feed(session, lease.id);
      return true;
    }
    // The lease was taken back meanwhile: the worker is free for another.
    session.enter('ready');
    this.#stopWaitingFor(session);
    return true;
  }

  /** The worker could not compute its lease. This is like an unusable push, but there is nothing to answer. */
  trouble(session: Session, { run, lease }: Extract<ToHost, { type: 'trouble' }>): void {
    if (run !== this.run.run) return;
    if (this.run.leases.find(lease, session.member.worker)) this.run.leases.giveBack(lease);
    // With overlap, it went on while its push was on the way, and was told to wait meanwhile.
    if (session.work.kind !== 'computing') return this.offer();
    session.enter('ready');
    this.#refuse(session, 'not-finite');
  }

  ringNews({ member }: Session, news: Extract<ToHost, { type: 'reduced' | 'unreachable' }>): void {
    const { ring } = this.#strategy;
    if (news.run !== this.run.run || this.run.isOver || !ring) return;
    if (news.type === 'reduced') ring.reduced(member.worker, news.ring, news.checksum);
    else ring.unreachable(member.worker, news.ring, news.peer);
    this.offer();
  }

  /** Workers of a ring connect through the host, which passes their signals on unread. */
  passOn(session: Session, { peer, data }: Extract<ToHost, { type: 'signal' }>): void {
    const other = this.#roster.members.get(peer)?.session;
    if (other && other !== session && this.#strategy.ring) {
      this.#turn.send(other, { type: 'signal', peer: session.member.worker, data });
    }
  }

  /** Takes the parameters that a worker was asked for; false if they are malformed. */
  copied({ member }: Session, { run, version }: Extract<ToHost, { type: 'state' }>, body: Uint8Array): boolean {
    return run !== this.run.run || this.#evaluations.copied(member.worker, version, body);
  }

  evaluated(event: Extract<ServerEvent, { type: 'evaluated' }>): void {
    const { run } = this;
    const result = this.#evaluations.take(event);
    if (!result) return;
    const { step, loss } = result.point;
    if (!Number.isFinite(loss)) return this.fail('diverged');
    if (run.phase === 'finishing') return step === run.version ? this.#enter('finished') : this.#evaluations.begin();
    const { untilLoss } = run.plan.experiment;
    if (untilLoss !== null && loss <= untilLoss) {
      run.endAtEvaluation();
      return this.stop('loss');
    }
    if (!result.wasHolding) return;
    this.#evaluations.begin();
    this.offer();
  }

  stop(reason: StopReason): void {
    const { run } = this;
    if (run.isOver) return;
    run.stopReason = reason;
    this.#enter('finishing');
    this.#dismissHeld();
    this.#evaluations.letGo();
    if (run.test.points.at(-1)?.step === run.version) return this.#enter('finished');
    if (!this.#evaluations.isUnderWay) this.#evaluations.begin();
  }

  fail(reason: StopReason): void {
    if (this.run.phase === 'failed' || this.run.phase === 'finished') return;
    this.run.stopReason = reason;
    this.#enter('failed');
    this.#dismissHeld();
  }

  tick(): void {
    if (this.run.phase === 'running') {
      this.#checkStop();
      this.#strategy.tick();
    }
    if (this.#turn.nowMs - this.#progressMs >= PROGRESS_MS) this.#broadcast();
  }

  /** The worker computes no more; a push already delivered stays with its round. */
  lose(session: Session, isAway: boolean): void {
    const { run } = this;
    const { worker } = session.member;
    const { ring } = this.#strategy;
    if (ring) {
      // What it delivered is still with it, and goes with it.
      if (!isAway) this.#exchange.dismiss(session);
      run.leases.giveBackDelivered(worker);
      if (run.isOver && isAway) ring.forget(worker);
    }
    run.leases.giveBackAll(worker);
    if (!run.isOver) this.#strategy.gone(worker, isAway);
    if (run.phase === 'running' && this.#crew.sessions.every(({ isPaused }) => isPaused)) this.#enter('waiting');
    this.offer();
    if (isAway) this.#evaluations.gone(worker);
  }

  /** The worker's lease led to nothing usable. It goes on all the same. */
  #refuse(session: Session, reason: Rejection): void {
    this.#exchange.refuse(session, reason);
    if (this.#exchange.rejectionsInARow >= MAX_REJECTIONS) return this.fail('diverged');
    this.#stopWaitingFor(session);
  }

  #stopWaitingFor({ member }: Session): void {
    if (!this.run.isOver) this.#strategy.gone(member.worker, false);
    this.offer();
  }

  #updated(): void {
    this.#evaluations.updated();
    const isCheckpointDue = this.#turn.nowMs - this.#checkpointMs >= CHECKPOINT_MS;
    if (this.run.keeper === 'host' && isCheckpointDue) this.#checkpoint();
    this.#checkStop();
  }

  #checkStop(): void {
    const reason = this.run.phase === 'running' ? this.run.reachedStop(this.#turn.nowMs) : null;
    if (reason) this.stop(reason);
  }

  /** Pushes that wait for a round will not be used; each still gets its one answer. */
  #dismissHeld(): void {
    for (const session of this.#roster.inOrder) this.#exchange.dismiss(session);
  }

  #enter(phase: RunPhase): void {
    this.run.enter(phase, this.#turn.nowMs);
    this.#broadcast();
    if (phase === 'paused' || phase === 'finished') this.#checkpoint();
  }

  #checkpoint(): void {
    this.#checkpointMs = this.#turn.nowMs;
    this.#turn.effects.push({ type: 'checkpoint' });
  }

  /** Tells everyone how the run stands. */
  #broadcast(): void {
    this.#progressMs = this.#turn.nowMs;
    for (const session of this.#roster.present.values()) this.#sendProgress(session);
  }

  #sendProgress(session: Session): void {
    const { run, phase, version, examples, leftMs } = this.run.state(this.#turn.nowMs);
    const { loss = null, accuracy = null } = this.run.test.points.at(-1) ?? {};
    const workers = this.#roster.present.size;
    this.#turn.send(session, { type: 'progress', run, phase, version, examples, workers, loss, accuracy, leftMs });
  }
}

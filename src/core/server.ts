import { Exchange } from './exchange.ts';
import { Looks } from './looks.ts';
import type { Member, MemberRecord } from './member.ts';
import type { RunState, StopReason, WorkerState } from './progress.ts';
import type { Refusal, Rejection, ToHost, ToWorker, Verdict } from './protocol.ts';
import { checkPush, type Push } from './push-check.ts';
import type { Rng } from './rng.ts';
import { Roster } from './roster.ts';
import { type Mark, Run, type RunPlan, type RunSnapshot } from './run.ts';
import type { Delivery, Field } from './strategy/strategy.ts';

const PROGRESS_MS = 1000;
const CHECKPOINT_MS = 5000;
/** A worker not heard of for this long is dropped. Steps block a worker's thread, so this must exceed a long step. */
const SILENCE_MS = 60_000;
/** This many unusable gradients in a row, with none applied between, mean that the run itself has diverged. */
const MAX_REJECTIONS = 20;

/** All that can happen to a server. */
export type ServerEvent =
  | {
      readonly type: 'message';
      readonly link: number;
      readonly isLocal: boolean;
      readonly message: ToHost;
      readonly body: Uint8Array;
    }
  | { readonly type: 'closed'; readonly link: number }
  | { readonly type: 'garbled'; readonly link: number }
  | { readonly type: 'start'; readonly plan: RunPlan; readonly saved?: SavedServer }
  | { readonly type: 'pause' | 'resume' | 'finish' | 'reset' | 'tick' }
  | { readonly type: 'remove'; readonly worker: number }
  | {
      readonly type: 'evaluated';
      readonly run: number;
      readonly version: number;
      readonly loss: number;
      readonly accuracy: number;
      readonly precisions: readonly number[];
    }
  | { readonly type: 'evaluator-failed' };

/** All that a server can ask for. Effects are carried out in order, at once: parameters are those of this moment. */
export type Effect =
  | { readonly type: 'send'; readonly link: number; readonly message: ToWorker; readonly withParams: boolean }
  | { readonly type: 'close'; readonly link: number }
  | { readonly type: 'evaluate'; readonly run: number; readonly version: number }
  | { readonly type: 'checkpoint' }
  | { readonly type: 'wake'; readonly atMs: number };

export interface SavedServer {
  readonly head: RunSnapshot;
  readonly members: readonly MemberRecord[];
  readonly arrays: readonly Float32Array[];
}

/**
 * The parameter server: state, an event and the time give the next state and effects. It owns no clock, no thread, no
 * link and no randomness of its own.
 *
 * Safety: a push changes the parameters at most once, only from a lease its worker holds, and only with finite numbers.
 * Liveness: a round never waits for a worker beyond its deadline; examples of a lost worker go to another.
 */
export class ParameterServer {
  readonly #roster: Roster;
  readonly #wallOffsetMs: number;
  #exchange: Exchange | null = null;
  #looks: Looks | null = null;
  /** The worker that is asked for the parameters to look at, where workers keep them. */
  #askedWorker: number | null = null;
  #isFetchDue = false;
  #runs: number;
  #effects: Effect[] = [];
  #nowMs = 0;
  #rejectionsInARow = 0;
  #progressMs = 0;
  #checkpointMs = 0;

  /** `wallOffsetMs` + now is the time of day. */
  constructor(random: Rng, wallOffsetMs: number) {
    this.#roster = new Roster(random);
    this.#wallOffsetMs = wallOffsetMs;
    // A restarted host must not take pushes to its predecessor's runs for its own.
    this.#runs = random.below(2 ** 31);
  }

  get run(): Run | null {
    return this.#exchange?.run ?? null;
  }

  get members(): ReadonlyMap<number, Member> {
    return this.#roster.members;
  }

  /** Applies one event and says what is to be done about it. */
  handle(event: ServerEvent, nowMs: number): readonly Effect[] {
    this.#nowMs = nowMs;
    this.#effects = [];
    this.#dispatch(event);
    this.#exchange?.answerRest(nowMs);
    this.#fetch();
    return this.#effects;
  }

  runState(nowMs: number): RunState | null {
    return this.run?.state(nowMs) ?? null;
  }

  workerStates(nowMs: number): WorkerState[] {
    return [...this.members.values()].map((member) => member.state(nowMs));
  }

  /** Everything needed to go on after a restart. The arrays are live: copy them at once. */
  snapshot(nowMs: number): SavedServer | null {
    if (!this.run) return null;
    const members = [...this.members.values()].map(({ worker, token, name }) => ({ worker, token, name }));
    return { ...this.run.snapshot(nowMs), members };
  }

  /** Learns who took part in a saved run before anybody decides to resume it: they may come back first. */
  recall(members: readonly MemberRecord[]): void {
    this.#roster.restore(members);
  }

  #dispatch(event: ServerEvent): void {
    switch (event.type) {
      case 'message':
        return this.#message(event.link, event.isLocal, event.message, event.body);
      case 'closed':
        return this.#closed(event.link);
      case 'garbled':
        return this.#dismiss(event.link, 'garbled');
      case 'start':
        return this.#start(event.plan, event.saved);
      case 'pause':
        if (this.run?.phase === 'running' || this.run?.phase === 'waiting') this.#enter('paused');
        return;
      case 'resume':
        if (this.run?.phase === 'paused') this.#enter('waiting');
        return this.#offer();
      case 'finish':
        return this.#stop('host');
      case 'reset':
        return this.#reset();
      case 'remove':
        return this.#remove(event.worker);
      case 'evaluated':
        return this.#evaluated(event);
      case 'evaluator-failed':
        return this.#fail('evaluator');
      case 'tick':
        return this.#tick();
      default:
        event satisfies never;
    }
  }

  #message(link: number, isLocal: boolean, message: ToHost, body: Uint8Array): void {
    if (message.type === 'hello') return this.#hello(link, isLocal, message);
    const member = this.#roster.on(link);
    if (!member) return this.#dismiss(link, 'garbled');
    member.heardMs = this.#nowMs;
    switch (message.type) {
      case 'ready':
        return this.#ready(link, member, message);
      case 'push':
        return this.#push(member, message, body);
      case 'reduced':
      case 'unreachable':
        return this.#ringNews(member, message);
      case 'state':
        return this.#copied(link, member, message, body);
      case 'signal':
        return this.#passOn(member, message);
      case 'pause':
        member.isPaused = true;
        member.pauses += 1;
        return this.#lose(member, false);
      case 'resume':
        member.isPaused = false;
        return this.#offer();
      case 'trouble':
        return this.#trouble(member, message);
      case 'beat':
        return;
      case 'leave':
        return this.#dismiss(link, 'closed');
      default:
        message satisfies never;
    }
  }

  #hello(link: number, isLocal: boolean, hello: Extract<ToHost, { type: 'hello' }>): void {
    const refusal = this.#roster.refusal(link, hello);
    if (refusal) return this.#dismiss(link, refusal);
    const known = this.#roster.known(isLocal, hello);
    // The same worker on a new link: the old one is dead, or will be.
    if (known?.link != null) this.#dismiss(known.link, 'closed');
    const member = known ?? this.#roster.enrol(isLocal, hello);
    if (!member) return this.#dismiss(link, 'full');
    this.#roster.arrive(member, link, hello, this.#nowMs);
    const { worker, name, token } = member;
    this.#send(member, { type: 'welcome', worker, name, token });
    this.#invite(member);
  }

  #invite(member: Member): void {
    if (!this.run) return;
    const { experiment, schema } = this.run.plan;
    this.#send(member, { type: 'run', run: this.run.run, schema: schema.hash, experiment });
    this.#sendProgress(member);
  }

  #ready(link: number, member: Member, ready: Extract<ToHost, { type: 'ready' }>): void {
    if (!this.run || ready.run !== this.run.run || member.phase !== 'preparing') return;
    if (ready.schema !== this.run.plan.schema.hash) return this.#dismiss(link, 'schema');
    member.phase = 'ready';
    member.backend = ready.backend;
    member.why = ready.why;
    member.trouble = null;
    this.#offer();
  }

  #start(plan: RunPlan, saved?: SavedServer): void {
    this.#reset();
    if (saved) this.#roster.restore(saved.members);
    this.#runs += 1;
    const run = new Run(plan, this.#runs, this.#wallMs(), saved);
    this.#exchange = new Exchange(run, (member, message, withParams) => this.#send(member, message, withParams));
    this.#looks = new Looks(run, (mark) => this.#ask(run, mark));
    this.#checkpointMs = this.#nowMs;
    for (const member of this.members.values()) {
      member.restart();
      if (member.isHere) this.#invite(member);
    }
    this.#looks.look(this.#nowMs, this.#wallMs());
  }

  #reset(): void {
    this.#dismissHeld();
    this.#exchange?.answerRest(this.#nowMs);
    this.#exchange = null;
    this.#looks = null;
    this.#askedWorker = null;
    this.#rejectionsInARow = 0;
    for (const member of this.members.values()) {
      member.restart();
      if (member.isHere) member.phase = 'ready';
    }
  }

  #push(member: Member, push: Push, body: Uint8Array): void {
    const exchange = this.#exchange;
    const checked = checkPush(this.run, member, push, body);
    if (checked.kind === 'unexpected' || !exchange) {
      return this.#reject(member, push, checked.kind === 'sound' ? 'old-run' : checked.reason);
    }
    const { run } = exchange;
    member.lastSeq = push.seq;
    member.phase = 'held';
    member.pending = { seq: push.seq, sinceMs: this.#nowMs, verdict: null };
    if (checked.kind === 'unusable') {
      if (checked.lease) run.leases.giveBack(checked.lease.id);
      return this.#refuse(exchange, member, checked.reason);
    }
    member.measure(push.phases, push.loss, push.peerBytes);
    const delivery: Delivery = { ...push, worker: member.worker, gradient: checked.gradient };
    // A lease that was taken back, or a run that no longer runs: too late, whatever the strategy.
    if (!checked.lease || run.isOver) {
      exchange.judge(member, delivery, { kind: 'stale', staleness: run.latestVersion - push.version }, this.#nowMs);
      return this.#offer();
    }
    member.delivered = push.lease;
    run.strategy.deliver(delivery, this.#field(exchange));
  }

  /** Answers a push that was not expected, and leaves everything as it is. */
  #reject(member: Member, { run, seq }: Push, reason: Rejection): void {
    const verdict: Verdict = { kind: 'rejected', reason };
    member.count(verdict, 0, this.#nowMs);
    const version = this.run?.version ?? 0;
    const { pauses } = member;
    const answer = { seq, verdict, version, pauses, heldMs: 0, isNext: false, leases: [] };
    this.#send(member, { type: 'answer', run, ...answer });
  }

  /** The worker could not compute its lease: as a push of no use, but there is nothing to answer. */
  #trouble(member: Member, { run, lease, text }: Extract<ToHost, { type: 'trouble' }>): void {
    member.trouble = text;
    const exchange = this.#exchange;
    if (!exchange || run !== exchange.run.run || member.phase !== 'computing') return;
    if (exchange.run.leases.find(lease, member.worker)) exchange.run.leases.giveBack(lease);
    member.phase = 'ready';
    this.#refuse(exchange, member, 'not-finite');
  }

  /** What the worker was given led to nothing: it goes on all the same. */
  #refuse(exchange: Exchange, member: Member, reason: Rejection): void {
    exchange.decide(member, { kind: 'rejected', reason }, 0, this.#nowMs);
    exchange.run.counters.rejected += 1;
    this.#rejectionsInARow += 1;
    if (this.#rejectionsInARow >= MAX_REJECTIONS) return this.#fail('diverged');
    if (!exchange.run.isOver) exchange.run.strategy.gone(member.worker, this.#field(exchange), false);
    this.#offer();
  }

  /** What the strategy may see and do, for the length of one event. */
  #field(exchange: Exchange): Field {
    const { run } = exchange;
    const nowMs = this.#nowMs;
    const isOpen = () => run === this.run && run.phase === 'running' && !this.#looks?.holdsTraining;
    const numbers = (members: readonly Member[]) => members.map(({ worker }) => worker);
    return {
      nowMs,
      get version() {
        return run.version;
      },
      size: run.params.length,
      active: () => numbers(this.#admitted(run).filter((member) => member.isActive)),
      idle: () => (isOpen() ? numbers(this.#admitted(run).filter((member) => member.isIdle)) : []),
      update: (gradient, scale, loss) => {
        run.apply(gradient, scale, loss, nowMs, this.#wallMs());
        this.#updated(run);
      },
      advance: (loss) => {
        run.advance(loss, nowMs, this.#wallMs());
        this.#updated(run);
      },
      judge: (delivery, verdict) => {
        if (verdict.kind === 'applied') this.#rejectionsInARow = 0;
        const member = this.members.get(delivery.worker);
        if (member) exchange.judge(member, delivery, verdict, nowMs);
      },
      revoke: (worker) => {
        const member = this.members.get(worker);
        if (member) exchange.revoke(member);
      },
      release: (workers, isBare = false) => {
        if (!isOpen()) return [];
        if (!isBare && workers.length > 0) run.fallBackToCopy();
        const members = workers.flatMap((worker) => this.members.get(worker) ?? []);
        return numbers(exchange.release(members, isBare, nowMs));
      },
      form: (ring, to) => {
        for (const worker of to) {
          const member = this.members.get(worker);
          if (member) this.#send(member, { type: 'ring', run: run.run, version: run.version, ...ring });
        }
      },
      warn: (worker, text) => {
        const member = this.members.get(worker);
        if (member) member.trouble = text;
      },
      wakeAt: (atMs) => this.#effects.push({ type: 'wake', atMs }),
    };
  }

  #admitted(run: Run): readonly Member[] {
    return this.#roster.inOrder.filter((member) => run.strategy.admits(member.isLocal));
  }

  #ringNews(member: Member, news: Extract<ToHost, { type: 'reduced' | 'unreachable' }>): void {
    const exchange = this.#exchange;
    if (!exchange || news.run !== exchange.run.run || exchange.run.isOver) return;
    const { strategy } = exchange.run;
    if (news.type === 'reduced') strategy.reduced(member.worker, news.ring, news.checksum, this.#field(exchange));
    else strategy.unreachable(member.worker, news.ring, news.peer, this.#field(exchange));
    this.#offer();
  }

  /** Workers of a ring connect to each other with the help of the host, who reads nothing of it. */
  #passOn(member: Member, { peer, data }: Extract<ToHost, { type: 'signal' }>): void {
    const other = this.members.get(peer);
    if (other && other !== member && this.run?.strategy.keeper === 'workers') {
      this.#send(other, { type: 'signal', peer: member.worker, data });
    }
  }

  #updated(run: Run): void {
    this.#looks?.updated(this.#nowMs, this.#wallMs());
    if (run.strategy.keeper === 'host' && this.#nowMs - this.#checkpointMs >= CHECKPOINT_MS) this.#checkpoint();
    this.#checkStop(run);
  }

  /** The round that pushes wait for will not end; each still gets its one answer. */
  #dismissHeld(): void {
    for (const member of this.#roster.present.values()) this.#exchange?.dismiss(member, this.#nowMs);
  }

  #checkStop(run: Run): void {
    const reason = run.phase === 'running' ? run.reachedStop(this.#nowMs) : null;
    if (reason) this.#stop(reason);
  }

  #offer(): void {
    const exchange = this.#exchange;
    if (!exchange || exchange.run.isOver) return;
    const { run } = exchange;
    if (run.phase === 'waiting') {
      const { strategy, workers } = run.plan.experiment;
      const needed = run.version > 0 || strategy === 'single' ? 1 : workers;
      if (this.#admitted(run).filter((member) => member.isActive).length < needed) return;
      this.#enter('running');
    }
    run.strategy.offer(this.#field(exchange));
  }

  #stop(reason: StopReason): void {
    const { run } = this;
    if (!run || run.isOver) return;
    run.stopReason = reason;
    this.#enter('finishing');
    this.#dismissHeld();
    this.#looks?.letGo(this.#nowMs);
    if (run.test.points.at(-1)?.step === run.version) return this.#enter('finished');
    if (!this.#looks?.isUnderWay) this.#looks?.look(this.#nowMs, this.#wallMs());
  }

  #fail(reason: StopReason): void {
    if (!this.run || this.run.phase === 'failed' || this.run.phase === 'finished') return;
    this.run.stopReason = reason;
    this.#enter('failed');
    this.#dismissHeld();
  }

  #enter(phase: RunState['phase']): void {
    if (!this.run) return;
    this.run.enter(phase, this.#nowMs);
    this.#broadcast();
    if (phase === 'paused' || phase === 'finished') this.#checkpoint();
  }

  /** Gets the parameters to be looked at to the evaluator. */
  #ask(run: Run, mark: Mark): void {
    if (run.strategy.keeper === 'host' || run.isCopyCurrent) return this.#evaluate(run, mark.step);
    this.#askedWorker = run.strategy.holder();
    const member = this.#askedWorker === null ? undefined : this.members.get(this.#askedWorker);
    if (!member) {
      run.fallBackToCopy();
      return this.#evaluate(run, mark.step);
    }
    run.prepareCopy(this.#nowMs);
    this.#isFetchDue = true;
  }

  /** Last of all, when the worker has heard that its version counts. */
  #fetch(): void {
    const member = this.#askedWorker === null ? undefined : this.members.get(this.#askedWorker);
    if (this.#isFetchDue && member && this.run) this.#send(member, { type: 'fetch', run: this.run.run });
    this.#isFetchDue = false;
  }

  #copied(link: number, member: Member, state: Extract<ToHost, { type: 'state' }>, body: Uint8Array): void {
    const { run } = this;
    if (!run || state.run !== run.run || this.#askedWorker !== member.worker) return;
    if (state.version !== this.#looks?.version || !run.takeCopy(state.version, body)) {
      return this.#dismiss(link, 'garbled');
    }
    this.#askedWorker = null;
    this.#checkpoint();
    this.#evaluate(run, state.version);
  }

  #evaluate(run: Run, version: number): void {
    this.#looks?.remember();
    this.#effects.push({ type: 'evaluate', run: run.run, version });
  }

  #evaluated({ run: runNumber, version, ...result }: Extract<ServerEvent, { type: 'evaluated' }>): void {
    const { run } = this;
    const looks = this.#looks;
    const point = run?.run === runNumber ? looks?.take(version, result) : null;
    if (!run || !looks || !point) return;
    if (!Number.isFinite(point.loss)) return this.#fail('diverged');
    if (run.phase === 'finishing') {
      if (version === run.version) return this.#enter('finished');
      return looks.look(this.#nowMs, this.#wallMs());
    }
    const { untilLoss } = run.plan.experiment;
    if (untilLoss !== null && point.loss <= untilLoss) {
      run.endAtLook();
      return this.#stop('loss');
    }
    if (!looks.letGo(this.#nowMs)) return;
    looks.look(this.#nowMs, this.#wallMs());
    this.#offer();
  }

  #tick(): void {
    for (const [link, member] of this.#roster.present) {
      if (this.#nowMs - member.heardMs > SILENCE_MS) this.#dismiss(link, 'silent');
    }
    const exchange = this.#exchange;
    if (!exchange) return;
    if (exchange.run.phase === 'running') {
      this.#checkStop(exchange.run);
      exchange.run.strategy.tick(this.#field(exchange));
    }
    if (this.#nowMs - this.#progressMs >= PROGRESS_MS) this.#broadcast();
  }

  #broadcast(): void {
    this.#progressMs = this.#nowMs;
    for (const member of this.#roster.present.values()) this.#sendProgress(member);
  }

  #sendProgress(member: Member): void {
    if (!this.run) return;
    const { run, phase, version, examples, leftMs } = this.run.state(this.#nowMs);
    const test = this.run.test.points.at(-1);
    const [loss, accuracy] = [test?.loss ?? null, test?.accuracy ?? null];
    const workers = this.#roster.present.size;
    this.#send(member, { type: 'progress', run, phase, version, examples, workers, loss, accuracy, leftMs });
  }

  #checkpoint(): void {
    this.#checkpointMs = this.#nowMs;
    this.#effects.push({ type: 'checkpoint' });
  }

  #remove(worker: number): void {
    const member = this.members.get(worker);
    if (!member) return;
    if (member.link !== null) this.#dismiss(member.link, 'removed');
    this.#roster.ban(member);
  }

  /** Ends a link with words; what its worker held goes to others. */
  #dismiss(link: number, reason: Refusal): void {
    this.#effects.push({ type: 'send', link, message: { type: 'bye', reason }, withParams: false });
    this.#effects.push({ type: 'close', link });
    this.#closed(link);
  }

  #closed(link: number): void {
    const member = this.#roster.depart(link);
    if (member) this.#lose(member, true);
    if (member && this.#askedWorker === member.worker) {
      // It took the parameters with it; another has them, perhaps of a later version.
      this.#askedWorker = null;
      this.#looks?.look(this.#nowMs, this.#wallMs());
    }
  }

  /** The worker computes no more; a push already delivered stays with its round. */
  #lose(member: Member, isAway: boolean): void {
    const exchange = this.#exchange;
    if (!exchange) return;
    const { run } = exchange;
    if (run.strategy.keeper === 'workers') {
      // What it delivered is still with it, and goes with it.
      exchange.dismiss(member, this.#nowMs);
      member.delivered = null;
    }
    exchange.reclaim(member);
    if (member.phase === 'computing') member.phase = 'ready';
    if (member.delivered === null && !run.isOver) run.strategy.gone(member.worker, this.#field(exchange), isAway);
    if (run.phase === 'running' && !this.#admitted(run).some((other) => !other.isPaused)) this.#enter('waiting');
    this.#offer();
  }

  #send(member: Member, message: ToWorker, withParams = false): void {
    if (member.link !== null) this.#effects.push({ type: 'send', link: member.link, message, withParams });
  }

  #wallMs(): number {
    return this.#wallOffsetMs + this.#nowMs;
  }
}

import { codecs } from './codec/codec.ts';
import { Member, type MemberRecord } from './member.ts';
import { isBounded } from './params.ts';
import type { RunState, StopReason, WorkerState } from './progress.ts';
import { type Lease, PROTOCOL, type Refusal, type Rejection, type ToHost, type ToWorker } from './protocol.ts';
import type { Rng } from './rng.ts';
import { Run, type RunPlan, type RunSnapshot } from './run.ts';
import type { Delivery, Field } from './strategy/strategy.ts';

/** A worker holds the lease it computes and the one whose batch it prepares meanwhile. */
const LEASES_AHEAD = 2;
const MAX_MEMBERS = 1000;
const PROGRESS_MS = 1000;
const CHECKPOINT_MS = 5000;
/** A worker not heard of for this long is dropped. Steps block a worker's thread, so this must exceed a long step. */
const SILENCE_MS = 60_000;
/** This many unusable gradients in a row, with none applied between, mean that the run itself has diverged. */
const MAX_REJECTIONS = 20;

type Push = Extract<ToHost, { type: 'push' }>;

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
  readonly members = new Map<number, Member>();
  #links = new Map<number, Member>();
  #removedTokens = new Set<string>();
  #run: Run | null = null;
  #runs = 0;
  #effects: Effect[] = [];
  #nowMs = 0;
  /** The evaluation under way, and whether the next one is due before it is done. */
  #evaluating: { version: number; elapsedMs: number; examples: number; wallMs: number } | null = null;
  #isHeldSinceMs: number | null = null;
  #rejectionsInARow = 0;
  #progressMs = 0;
  #checkpointMs = 0;
  readonly #random: Rng;
  readonly #wallOffsetMs: number;

  /** `wallOffsetMs` + now is the time of day. */
  constructor(random: Rng, wallOffsetMs: number) {
    this.#random = random;
    this.#wallOffsetMs = wallOffsetMs;
  }

  get run(): Run | null {
    return this.#run;
  }

  /** Applies one event and says what is to be done about it. */
  handle(event: ServerEvent, nowMs: number): readonly Effect[] {
    this.#nowMs = nowMs;
    this.#effects = [];
    this.#dispatch(event);
    this.#answerJudged();
    return this.#effects;
  }

  runState(nowMs: number): RunState | null {
    return this.#run?.state(nowMs) ?? null;
  }

  workerStates(nowMs: number): WorkerState[] {
    return [...this.members.values()].map((member) => member.state(nowMs));
  }

  /** Everything needed to go on after a restart. The arrays are live: copy them at once. */
  snapshot(nowMs: number): SavedServer | null {
    if (!this.#run) return null;
    const members = [...this.members.values()].map(({ worker, token, name }) => ({ worker, token, name }));
    return { ...this.#run.snapshot(nowMs), members };
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
        if (this.#run?.phase === 'running' || this.#run?.phase === 'waiting') this.#enter('paused');
        return;
      case 'resume':
        if (this.#run?.phase === 'paused') this.#enter('waiting');
        return this.#offer();
      case 'finish':
        return this.#stop('host');
      case 'reset':
        return this.#reset();
      case 'remove':
        return this.#remove(event.worker);
      case 'evaluated':
        return this.#evaluated(event.run, event.version, event.loss, event.accuracy);
      case 'evaluator-failed':
        if (!this.#run) return;
        this.#run.stopReason = 'evaluator';
        return this.#enter('failed');
      case 'tick':
        return this.#tick();
      default:
        event satisfies never;
    }
  }

  #message(link: number, isLocal: boolean, message: ToHost, body: Uint8Array): void {
    if (message.type === 'hello') return this.#hello(link, isLocal, message);
    const member = this.#links.get(link);
    if (!member) return this.#dismiss(link, 'garbled');
    member.heardMs = this.#nowMs;
    switch (message.type) {
      case 'ready':
        if (message.run !== this.#run?.run || member.phase !== 'preparing') return;
        if (message.schema !== this.#run.plan.schema.hash) return this.#dismiss(link, 'schema');
        member.phase = 'ready';
        member.backend = message.backend;
        member.why = message.why;
        member.trouble = null;
        return this.#offer();
      case 'push':
        return this.#push(member, message, body);
      case 'pause':
        member.isPaused = true;
        return this.#lose(member);
      case 'resume':
        member.isPaused = false;
        return this.#offer();
      case 'trouble':
        member.trouble = message.text;
        return;
      case 'beat':
        return;
      case 'leave':
        return this.#dismiss(link, 'closed');
      default:
        message satisfies never;
    }
  }

  #hello(link: number, isLocal: boolean, hello: Extract<ToHost, { type: 'hello' }>): void {
    if (hello.protocol !== PROTOCOL) return this.#dismiss(link, 'protocol');
    if (this.#removedTokens.has(hello.token)) return this.#dismiss(link, 'removed');
    if (this.#links.has(link)) return this.#dismiss(link, 'garbled');
    let member = isLocal ? this.members.get(0) : this.#known(hello.token);
    // The same worker on a new link: the old one is dead, or will be.
    if (member?.link != null) this.#dismiss(member.link, 'closed');
    if (!member) {
      if (this.members.size >= MAX_MEMBERS && !this.#forgetSomeone()) return this.#dismiss(link, 'full');
      const worker = isLocal ? 0 : 1 + Math.max(0, ...this.members.keys());
      member = new Member(worker, hello.token || this.#token(), clean(hello.name), isLocal);
      this.members.set(worker, member);
    }
    this.#links.set(link, member);
    member.link = link;
    member.device = clean(hello.device);
    if (hello.name) member.name = clean(hello.name);
    member.heardMs = this.#nowMs;
    member.lastSeq = 0;
    member.isPaused = false;
    member.phase = 'preparing';
    const { worker, name, token } = member;
    this.#send(member, { type: 'welcome', worker, name, token });
    if (this.#run) this.#invite(member, this.#run);
  }

  #known(token: string): Member | undefined {
    return token ? [...this.members.values()].find((member) => member.token === token && !member.isLocal) : undefined;
  }

  #token(): string {
    return Array.from({ length: 4 }, () => this.#random.uint32().toString(16).padStart(8, '0')).join('');
  }

  #forgetSomeone(): boolean {
    const gone = [...this.members.values()].find((member) => !member.isHere);
    return gone !== undefined && this.members.delete(gone.worker);
  }

  #invite(member: Member, run: Run): void {
    const { experiment, schema } = run.plan;
    this.#send(member, { type: 'run', run: run.run, schema: schema.hash, experiment });
    this.#sendProgress(member);
  }

  #start(plan: RunPlan, saved?: SavedServer): void {
    this.#reset();
    for (const { worker, token, name } of saved?.members ?? []) {
      if (!this.members.has(worker)) this.members.set(worker, new Member(worker, token, name, worker === 0));
    }
    this.#runs += 1;
    this.#run = new Run(plan, this.#runs, this.#wallMs(), saved);
    this.#checkpointMs = this.#nowMs;
    for (const member of this.members.values()) {
      member.restart();
      if (member.isHere) this.#invite(member, this.#run);
    }
    this.#evaluate();
  }

  #reset(): void {
    for (const member of this.members.values()) {
      // The run is dropped, so a push that waits for its round is in vain; it still gets its one answer.
      if (member.pending) member.pending.verdict ??= { kind: 'stale', staleness: 0 };
    }
    this.#answerJudged();
    this.#run = null;
    this.#evaluating = null;
    this.#isHeldSinceMs = null;
    this.#rejectionsInARow = 0;
    for (const member of this.members.values()) {
      member.restart();
      if (member.isHere) member.phase = 'ready';
    }
  }

  #push(member: Member, push: Push, body: Uint8Array): void {
    const run = this.#run;
    if (!run || push.run !== run.run) return this.#reject(member, push, 'old-run');
    if (push.seq <= member.lastSeq) return this.#reject(member, push, 'repeated');
    if (member.phase === 'held') return this.#reject(member, push, 'no-lease');
    member.lastSeq = push.seq;
    const lease = run.leases.find(push.lease, member.worker);
    if (!lease && push.version >= run.version) return this.#refuse(member, push, lease, 'no-lease');
    if (push.version !== member.version) return this.#refuse(member, push, lease, 'wrong-version');
    if (push.examples !== (lease?.count ?? push.examples)) return this.#refuse(member, push, lease, 'wrong-size');
    const codec = codecs.float32;
    if (body.length !== codec.bytesFor(run.params.length)) return this.#refuse(member, push, lease, 'wrong-size');
    const gradient = codec.decode(body, run.params.length);
    if (!isBounded(gradient) || !Number.isFinite(push.loss)) return this.#refuse(member, push, lease, 'not-finite');
    member.phase = 'held';
    member.pending = { seq: push.seq, sinceMs: this.#nowMs, verdict: null };
    member.measure(push.phases, push.loss);
    const delivery = { ...push, worker: member.worker, gradient };
    // A lease that was taken back, or a run that no longer runs: too late, whatever the strategy.
    if (!lease || (run.phase !== 'running' && run.phase !== 'paused')) {
      return this.#judge(run, delivery, { kind: 'stale', staleness: run.version - push.version });
    }
    member.delivered = lease.id;
    run.strategy.deliver(delivery, this.#field(run));
  }

  /** A push that changes nothing, not even its worker's state: it was not the one expected. */
  #reject(member: Member, push: Push, reason: Rejection): void {
    const verdict = { kind: 'rejected', reason } as const;
    member.count(verdict, 0, this.#nowMs);
    const version = this.#run?.version ?? 0;
    this.#send(member, { type: 'answer', run: push.run, seq: push.seq, verdict, version, heldMs: 0, leases: [] });
  }

  /** The expected push, but unusable: its examples go to another and the worker goes on. */
  #refuse(member: Member, push: Push, lease: Lease | null, reason: Rejection): void {
    const run = this.#run as Run;
    if (lease) run.leases.giveBack(lease.id);
    member.phase = 'held';
    const verdict = { kind: 'rejected', reason } as const;
    member.pending = { seq: push.seq, sinceMs: this.#nowMs, verdict };
    member.count(verdict, 0, this.#nowMs);
    run.counters.rejected += 1;
    this.#rejectionsInARow += 1;
    if (this.#rejectionsInARow >= MAX_REJECTIONS) return this.#fail();
    run.strategy.gone(member.worker, this.#field(run));
    this.#offer();
  }

  #judge(run: Run, delivery: Delivery, verdict: Delivered): void {
    const member = this.members.get(delivery.worker);
    if (!member) return;
    member.delivered = null;
    if (verdict.kind === 'applied') run.leases.settle(delivery.lease);
    else run.leases.giveBack(delivery.lease);
    run.counters[verdict.kind] += 1;
    if (verdict.kind === 'applied') this.#rejectionsInARow = 0;
    member.count(verdict, delivery.examples, this.#nowMs);
    if (member.pending) member.pending.verdict = verdict;
  }

  #field(run: Run): Field {
    const isOpen = () => run === this.#run && run.phase === 'running' && this.#isHeldSinceMs === null;
    return {
      nowMs: this.#nowMs,
      get version() {
        return run.version;
      },
      size: run.params.length,
      idle: () =>
        isOpen()
          ? this.#admitted(run)
              .filter((m) => m.isIdle)
              .map((m) => m.worker)
          : [],
      update: (gradient, scale, loss) => this.#update(run, gradient, scale, loss),
      judge: (delivery, verdict) => this.#judge(run, delivery, verdict),
      revoke: (worker) => this.#revoke(run, worker),
      release: (workers) => {
        if (isOpen()) this.#release(run, workers);
      },
      wakeAt: (atMs) => this.#effects.push({ type: 'wake', atMs }),
    };
  }

  #admitted(run: Run): Member[] {
    const members = [...this.members.values()].filter((member) => member.isHere && run.strategy.admits(member.isLocal));
    return members.sort((a, b) => a.worker - b.worker);
  }

  #update(run: Run, gradient: Float32Array, scale: number, loss: number): void {
    run.apply(gradient, scale, loss, this.#nowMs, this.#wallMs());
    if (run.version % run.plan.experiment.evalEvery === 0) {
      // Training waits rather than run more than one look at the test set ahead of the evaluator.
      if (this.#evaluating) this.#isHeldSinceMs ??= this.#nowMs;
      else this.#evaluate();
    }
    if (this.#nowMs - this.#checkpointMs >= CHECKPOINT_MS) this.#checkpoint();
    this.#checkStop(run);
  }

  #revoke(run: Run, worker: number): void {
    const oldest = run.leases.heldBy(worker)[0];
    if (oldest) run.leases.giveBack(oldest.id);
  }

  #release(run: Run, workers: readonly number[]): void {
    const members = workers.map((worker) => this.members.get(worker)).filter((m) => m?.isIdle) as Member[];
    const fresh = new Map(members.map((member) => [member, [] as Lease[]]));
    // Everyone's next batch before anyone's next but one: rounds then take examples in the order of one big batch.
    for (let depth = 1; depth <= LEASES_AHEAD; depth++) {
      for (const [member, leases] of fresh) {
        if (run.leases.heldBy(member.worker).length >= depth) continue;
        const lease = run.leases.deal(member.worker);
        if (lease) leases.push(lease);
      }
    }
    for (const [member, leases] of fresh) {
      if (run.leases.heldBy(member.worker).length === 0) continue;
      member.phase = 'computing';
      member.version = run.version;
      if (member.pending) this.#answer(run, member, leases, true);
      else this.#send(member, { type: 'work', run: run.run, version: run.version, leases }, true);
    }
  }

  #answer(run: Run, member: Member, leases: Lease[], withParams: boolean): void {
    const { pending } = member;
    if (!pending?.verdict) return;
    member.pending = null;
    const { seq, verdict, sinceMs } = pending;
    const heldMs = this.#nowMs - sinceMs;
    this.#send(
      member,
      { type: 'answer', run: run.run, seq, verdict, version: run.version, heldMs, leases },
      withParams,
    );
  }

  /** Whoever was judged but not released gets its answer now, and waits. */
  #answerJudged(): void {
    const run = this.#run;
    if (!run) return;
    for (const member of this.#links.values()) {
      if (!member.pending?.verdict) continue;
      this.#answer(run, member, [], false);
      if (member.phase === 'held') member.phase = 'ready';
    }
  }

  #checkStop(run: Run): void {
    const reason = run.phase === 'running' ? run.reachedStop(this.#nowMs) : null;
    if (reason) this.#stop(reason);
  }

  #offer(): void {
    const run = this.#run;
    if (!run) return;
    if (run.phase === 'waiting') {
      const ready = this.#admitted(run).filter((member) => member.isIdle).length;
      const needed = run.version > 0 || run.plan.experiment.strategy === 'single' ? 1 : run.plan.experiment.workers;
      if (ready < needed) return;
      this.#enter('running');
    }
    run.strategy.offer(this.#field(run));
  }

  #stop(reason: StopReason): void {
    const run = this.#run;
    if (!run || run.phase === 'finishing' || run.phase === 'finished' || run.phase === 'failed') return;
    run.stopReason = reason;
    this.#enter('finishing');
    this.#isHeldSinceMs = null;
    if (run.test.points.at(-1)?.step === run.version) return this.#enter('finished');
    if (!this.#evaluating) this.#evaluate();
  }

  #fail(): void {
    if (!this.#run) return;
    this.#run.stopReason = 'diverged';
    this.#enter('failed');
  }

  #enter(phase: RunState['phase']): void {
    if (!this.#run) return;
    this.#run.enter(phase, this.#nowMs);
    this.#broadcast();
    if (phase === 'paused' || phase === 'finished') this.#checkpoint();
  }

  #evaluate(): void {
    const run = this.#run;
    if (!run) return;
    const { version } = run;
    const at = { elapsedMs: run.elapsedMs(this.#nowMs), examples: run.leases.counted, wallMs: this.#wallMs() };
    this.#evaluating = { version, ...at };
    this.#effects.push({ type: 'evaluate', run: run.run, version });
  }

  #evaluated(runNumber: number, version: number, loss: number, accuracy: number): void {
    const run = this.#run;
    const asked = this.#evaluating;
    if (!run || runNumber !== run.run || version !== asked?.version) return;
    this.#evaluating = null;
    run.counters.evaluations += 1;
    if (!Number.isFinite(loss)) return this.#fail();
    const { elapsedMs, wallMs, examples } = asked;
    if (run.test.points.at(-1)?.step !== version) {
      run.test.add({ step: version, elapsedMs, wallMs, examples, loss, accuracy });
    }
    if (run.phase === 'finishing') {
      if (version === run.version) this.#enter('finished');
      else this.#evaluate();
      return;
    }
    const { untilLoss } = run.plan.experiment;
    if (untilLoss !== null && loss <= untilLoss) return this.#stop('loss');
    if (this.#isHeldSinceMs === null) return;
    run.counters.evaluationHoldMs += this.#nowMs - this.#isHeldSinceMs;
    this.#isHeldSinceMs = null;
    this.#evaluate();
    this.#offer();
  }

  #tick(): void {
    for (const [link, member] of this.#links) {
      if (this.#nowMs - member.heardMs > SILENCE_MS) this.#dismiss(link, 'silent');
    }
    const run = this.#run;
    if (!run) return;
    if (run.phase === 'running') {
      this.#checkStop(run);
      run.strategy.tick(this.#field(run));
    }
    if (this.#nowMs - this.#progressMs >= PROGRESS_MS) this.#broadcast();
  }

  #broadcast(): void {
    this.#progressMs = this.#nowMs;
    for (const member of this.#links.values()) this.#sendProgress(member);
  }

  #sendProgress(member: Member): void {
    const run = this.#run;
    if (!run) return;
    const { phase, version, examples, leftMs } = run.state(this.#nowMs);
    const test = run.test.points.at(-1);
    const [loss, accuracy] = [test?.loss ?? null, test?.accuracy ?? null];
    const workers = this.#links.size;
    this.#send(member, { type: 'progress', run: run.run, phase, version, examples, workers, loss, accuracy, leftMs });
  }

  #checkpoint(): void {
    this.#checkpointMs = this.#nowMs;
    this.#effects.push({ type: 'checkpoint' });
  }

  #remove(worker: number): void {
    const member = this.members.get(worker);
    if (!member) return;
    this.#removedTokens.add(member.token);
    if (member.link !== null) this.#dismiss(member.link, 'removed');
    this.members.delete(worker);
  }

  /** Ends a link with words; what its worker held goes to others. */
  #dismiss(link: number, reason: Refusal): void {
    this.#effects.push({ type: 'send', link, message: { type: 'bye', reason }, withParams: false });
    this.#effects.push({ type: 'close', link });
    this.#closed(link);
  }

  #closed(link: number): void {
    const member = this.#links.get(link);
    if (!member) return;
    this.#links.delete(link);
    member.link = null;
    member.phase = 'gone';
    member.pending = null;
    this.#lose(member);
  }

  /** The worker computes no more; a push already delivered stays with its round. */
  #lose(member: Member): void {
    const run = this.#run;
    if (!run) return;
    for (const { id } of run.leases.heldBy(member.worker)) if (id !== member.delivered) run.leases.giveBack(id);
    if (member.phase === 'computing') member.phase = 'ready';
    if (member.delivered === null) run.strategy.gone(member.worker, this.#field(run));
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

type Delivered = Parameters<Field['judge']>[1];

const clean = (text: string) => text.replace(/[^\p{L}\p{N}\p{P}\p{Zs}]/gu, '').trim();

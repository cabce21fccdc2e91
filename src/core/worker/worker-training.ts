import type { KeptParams } from '../ring/kept-params.ts';
import type { LeaseKeys } from '../sparse/lease-keys.ts';
import type { Lease, ToPeer, ToWorker } from '../wire/protocol.ts';
import { AwayTime } from './away-time.ts';
import type { StepResult } from './worker-events.ts';
import type { WorkerRun } from './worker-run.ts';
import type { WorkerTurn } from './worker-turn.ts';

/** In a row. The host ends a run as diverged after fewer, so that the run's end comes first. */
const MAX_FAILURES = 25;

/** A lease being computed, in one step or several local ones. */
interface Task {
  readonly id: number;
  readonly version: number;
  readonly lease: Lease;
  readonly startedMs: number;
  /** Over its steps so far. */
  readonly sums: { loss: number; correct: number | null; decodeMs: number; computeMs: number; readMs: number };
}

/** Not null while a push is under way. Only with overlap is anything computed meanwhile. */
interface Unanswered {
  unanswered: number | null;
}

type Work =
  | ({ readonly kind: 'idle' } & Unanswered)
  /** The host cannot give the values of this lease before it is told their keys. */
  | { readonly kind: 'pulling'; readonly lease: Lease }
  | ({ readonly kind: 'computing'; readonly task: Task } & Unanswered)
  /** Handed in once the push before it is answered, or the keys are found that are to go with it. */
  | ({ readonly kind: 'finished'; readonly task: Task; readonly gradient: Float32Array } & Unanswered)
  /** Told once the push before it is answered, as its own push would have been. */
  | ({ readonly kind: 'failed'; readonly lease: number; readonly text: string } & Unanswered);

type Finished = Extract<Work, { kind: 'finished' }>;

interface WorkerTrainingOptions {
  readonly run: WorkerRun;
  readonly turn: WorkerTurn;
  /** No step is under way: what the volunteer asked for meanwhile can be done. */
  heed(): void;
  /** What was given is given back; the next round is welcome. */
  startOver(): void;
}

/** One run at one worker: leases and parameters in, steps and pushes out. */
export class WorkerTraining {
  readonly #run: WorkerRun;
  readonly #turn: WorkerTurn;
  readonly #heed: () => void;
  readonly #startOver: () => void;
  readonly #away = new AwayTime();
  #leases: Lease[] = [];
  #params: { readonly version: number; readonly values: Float32Array } | null = null;
  #work: Work = { kind: 'idle', unanswered: null };
  /** Whether the host's last word was to go on. */
  #mayGoOn = false;
  #failures = 0;

  constructor({ run, turn, heed, startOver }: WorkerTrainingOptions) {
    this.#run = run;
    this.#turn = turn;
    this.#heed = heed;
    this.#startOver = startOver;
  }

  get number(): number {
    return this.#run.run;
  }

  /** Where workers keep the parameters. */
  get kept(): KeptParams | null {
    return this.#run.kept;
  }

  /** Whether a step is under way or has yet to be handed in. */
  get isBusy(): boolean {
    return this.#work.kind === 'computing' || this.#work.kind === 'finished';
  }

  get isUnanswered(): boolean {
    return this.#unanswered !== null;
  }

  get #unanswered(): number | null {
    return this.#work.kind === 'pulling' ? null : this.#work.unanswered;
  }

  /** Something to compute, by a host that waits for nothing. */
  work(message: Extract<ToWorker, { type: 'work' }>, body: Uint8Array): void {
    this.#cameBack(Number.POSITIVE_INFINITY);
    this.#take(message, body, true);
  }

  /** The one answer to a push. */
  answered(answer: Extract<ToWorker, { type: 'answer' }>, body: Uint8Array): void {
    const work = this.#work;
    if (work.kind === 'pulling' || work.unanswered !== answer.seq) return;
    work.unanswered = null;
    const isApplied = answer.verdict.kind === 'applied';
    this.#run.feedback.settle(isApplied);
    if (!isApplied) this.#turn.countStale();
    if (this.#run.kept?.settle(isApplied) === false) return this.#garbled();
    if (this.#turn.settings.isFinishing) return work.kind === 'finished' ? this.#push(work) : this.#heed();
    this.#cameBack(answer.heldMs);
    this.#take(answer, body, answer.isNext);
  }

  /** Forgets what it has not computed: the host deals it to others. */
  giveBack(): void {
    this.#leases = [];
    if (!this.isBusy) this.#rest();
    this.#run.kept?.stopAwaiting();
    this.#run.keys?.clear();
  }

  /** Until the host speaks, time does not count as waiting. */
  stopClock(): void {
    this.#away.stop();
  }

  ring(message: Extract<ToWorker, { type: 'ring' }>): void {
    const { kept } = this.#run;
    // Nobody will send the parameters it waits for: it gives everything back, and is ready for the next round.
    if (kept?.form(message) === 'outside' && kept.isAwaiting) this.#startOver();
  }

  peerMessage(peer: number, message: ToPeer, body: Uint8Array): void {
    const { kept } = this.#run;
    const version = kept?.hear(peer, message, body) ?? null;
    if (!kept || version === null) return;
    this.#params = { version, values: kept.params };
    this.#compute();
  }

  foundKeys(lease: number, found: Uint32Array): void {
    const { keys } = this.#run;
    if (!keys?.settle(lease, found)) return;
    if (this.#work.kind === 'finished') this.#hand(this.#work);
    else this.#pull(keys);
  }

  missedKeys(lease: number, text: string): void {
    const work = this.#work;
    if (!this.#run.keys?.settle(lease, null)) return;
    if (work.kind === 'finished') return this.#push(work);
    if (work.kind !== 'pulling' || work.lease.id !== lease) return;
    this.#leases.shift();
    this.#giveUp(lease, text);
  }

  computed(taskId: number, { gradient, loss, correct, decodeMs, computeMs, readMs }: StepResult): void {
    const { local } = this.#run;
    if (this.#work.kind !== 'computing' || this.#work.task.id !== taskId) return;
    const { task, unanswered } = this.#work;
    const { sums } = task;
    sums.loss += loss;
    sums.correct = correct === null || sums.correct === null ? null : sums.correct + correct;
    sums.decodeMs += decodeMs;
    sums.computeMs += computeMs;
    sums.readMs += readMs;
    local?.apply(gradient);
    const part = local?.next(task.lease);
    if (local && part) return this.#turn.emit({ type: 'compute', task: taskId, lease: part, params: local.params });
    this.#failures = 0;
    const finished: Finished = { kind: 'finished', task, gradient: local?.delta() ?? gradient, unanswered };
    if (unanswered === null) return this.#hand(finished);
    this.#work = finished;
    this.#away.begin(this.#turn.nowMs, false);
  }

  /** Nothing of the step is sent; the host deals its examples again and gives other parameters, or none. */
  failed(taskId: number, text: string): void {
    if (this.#work.kind !== 'computing' || this.#work.task.id !== taskId) return;
    const { task, unanswered } = this.#work;
    const { id: lease } = task.lease;
    this.#run.keys?.forget(lease);
    if (unanswered === null) return this.#giveUp(lease, text);
    this.#work = { kind: 'failed', lease, text, unanswered };
    this.#heed();
  }

  /** Leases and perhaps parameters from the host; `isNext` if the oldest lease is to be computed. */
  #take(message: Extract<ToWorker, { type: 'work' | 'answer' }>, body: Uint8Array, isNext: boolean): void {
    const { version, leases, pauses, due } = message;
    // Given before the host heard of the last pause, and taken back by it since.
    if (pauses !== this.#turn.pauses) return;
    this.#leases.push(...leases);
    this.#mayGoOn = isNext;
    const { down, kept, keys } = this.#run;
    if (keys) {
      if (isNext) return this.#takeValues(keys, version, due, body);
      keys.find(this.#leases);
    } else if (kept) {
      const found = isNext ? kept.take(version, body) : null;
      if (found === 'garbled') return this.#garbled();
      if (found) this.#params = found === 'here' ? { version, values: kept.params } : null;
    } else if (body.length > 0) {
      if (this.#params && !this.isBusy) down.recycle(this.#params.values);
      const values = down.decode(body);
      if (!values) return this.#garbled();
      this.#params = { version, values };
    }
    // The answer to the push under way comes first.
    if (this.#unanswered !== null) return;
    const work = this.#work;
    if (work.kind === 'failed') this.#giveUp(work.lease, work.text);
    else if (work.kind === 'finished') this.#push(work);
    else if (isNext) this.#compute();
    else if (work.kind !== 'computing') this.#turn.idle();
  }

  /** The lease that is due, and the values of its keys if the host knows them. */
  #takeValues(keys: LeaseKeys, version: number, due: number, body: Uint8Array): void {
    const index = this.#leases.findIndex(({ id }) => id === due);
    // Those before it were taken back.
    for (const { id } of this.#leases.splice(0, Math.max(0, index))) keys.forget(id);
    const [lease] = this.#leases;
    if (index < 0 || !lease) return this.#garbled();
    if (body.length === 0) {
      this.#work = { kind: 'pulling', lease };
      return this.#pull(keys);
    }
    const values = keys.decode(due, body);
    if (!values) return this.#garbled();
    this.#params = { version, values };
    this.#rest();
    this.#compute();
  }

  /** Tells the host the keys it needs, once they are found. */
  #pull(keys: LeaseKeys): void {
    if (this.#work.kind !== 'pulling') return;
    const { lease } = this.#work;
    const found = keys.of(lease.id);
    if (!found) return keys.find([lease]);
    this.#rest();
    this.#turn.send({ type: 'pull', run: this.number, lease: lease.id, count: found.length }, keys.encode(found));
    keys.find(this.#leases);
  }

  #rest(): void {
    this.#work = { kind: 'idle', unanswered: this.#unanswered };
  }

  /** Begins the oldest lease on the parameters that are here. */
  #compute(): void {
    const turn = this.#turn;
    if (this.#work.kind === 'computing' || turn.isResting || !this.#params) return;
    const lease = this.#leases.shift();
    if (!lease) return turn.idle();
    const { version, values } = this.#params;
    turn.tasks += 1;
    const sums = { loss: 0, correct: 0, decodeMs: 0, computeMs: 0, readMs: 0 };
    const task: Task = { id: turn.tasks, version, lease, startedMs: turn.nowMs, sums };
    this.#work = { kind: 'computing', task, unanswered: this.#unanswered };
    turn.emit({ type: 'stage', stage: 'training' });
    const { local } = this.#run;
    local?.begin(values);
    const [part, params] = [local?.next(lease) ?? lease, local?.params ?? values];
    turn.emit({ type: 'compute', task: task.id, lease: part, params });
  }

  /** Pushes with the keys of the next lease. If they are not found yet, a moment's wait saves an exchange. */
  #hand(finished: Finished): void {
    const { keys } = this.#run;
    const next = this.#nextLease;
    if (!keys || !next || keys.of(next.id)) return this.#push(finished);
    this.#work = finished;
    keys.find([next]);
  }

  /** What will be computed next, if anything. */
  get #nextLease(): Lease | null {
    return this.#turn.isResting ? null : (this.#leases[0] ?? null);
  }

  #push({ task, gradient }: Finished): void {
    const { run, feedback, random, kept, keys, experiment, local } = this.#run;
    const turn = this.#turn;
    const { version, lease, startedMs, sums } = task;
    const joined = keys?.join(gradient, this.#nextLease?.id ?? null, random);
    const body = kept ? null : (joined?.body ?? feedback.encode(gradient, random));
    const next = joined?.next ?? null;
    keys?.forget(lease.id);
    const { correct, decodeMs, computeMs, readMs } = sums;
    const loss = sums.loss / (local?.taken ?? 1);
    const phases = { ...this.#away.take(), decodeMs, computeMs, readMs, ...turn.lastPush };
    this.#away.begin(turn.nowMs, true);
    turn.pushes += 1;
    const seq = turn.pushes;
    this.#work = { kind: 'idle', unanswered: seq };
    const { id, count: examples } = lease;
    const head = { run, seq, lease: id, version, examples, loss, correct, phases, peerBytes: 0, next };
    turn.send({ type: 'push', ...head }, body);
    turn.emit({ type: 'stepped', startedMs, version, phases });
    turn.countStep(local?.taken ?? 1, examples, loss, phases);
    kept?.offer(gradient, version);
    kept?.tellReduced();
    if (turn.isResting) return this.#heed();
    const isOverlapped = experiment.overlap && experiment.strategy === 'async';
    if (isOverlapped && this.#mayGoOn) return this.#compute();
    if (keys) return keys.find(this.#leases);
    const ahead = this.#leases[0];
    if (ahead) turn.emit({ type: 'prefetch', lease: local?.next(ahead) ?? ahead });
  }

  #giveUp(lease: number, text: string): void {
    this.#work = { kind: 'idle', unanswered: null };
    this.#failures += 1;
    this.#turn.send({ type: 'trouble', run: this.number, lease, text: text.slice(0, 300) });
    if (this.#failures >= MAX_FAILURES) return this.#turn.end({ kind: 'device', detail: text });
    this.#turn.idle();
    this.#heed();
  }

  #cameBack(heldMs: number): void {
    const { nowMs, lastPush } = this.#turn;
    this.#away.cameBack(nowMs, heldMs, this.#work.kind === 'computing', lastPush.encodeMs + lastPush.sendMs);
  }

  #garbled(): void {
    this.#turn.end({ kind: 'refused', reason: 'garbled' });
  }
}

import type { LeaseKeys } from '../sparse/lease-keys.ts';
import type { Lease, Phases, ToHost, ToPeer, ToWorker } from '../wire/protocol.ts';
import { AwayTime } from './away-time.ts';
import type { StepResult, WorkerEffect, WorkerEnd } from './worker-events.ts';
import type { WorkerRun } from './worker-run.ts';

/** In a row; more than the host takes before it ends a run that has diverged, so that the run's end comes first. */
const MAX_FAILURES = 25;

interface Task {
  readonly id: number;
  readonly version: number;
  readonly lease: Lease;
  readonly startedMs: number;
}

/** A step, or several local ones, ready to be handed in. */
interface Finished extends Task {
  readonly gradient: Float32Array;
  readonly loss: number;
  readonly correct: number | null;
  readonly phases: Pick<Phases, 'decodeMs' | 'computeMs' | 'readMs'>;
}

/** The two messages that can lead to a step. */
type Given = Extract<ToWorker, { type: 'work' | 'answer' }>;

const sums = { lossSum: 0, correct: 0 as number | null, decodeMs: 0, computeMs: 0, readMs: 0 };

/** What a run sees of the worker that takes part in it. */
export interface WorkerSurroundings {
  readonly nowMs: number;
  readonly isPaused: boolean;
  readonly isFinishing: boolean;
  /** Of the link: pauses told, pushes sent, tasks begun. */
  readonly counts: { pauses: number; pushes: number; tasks: number };
  /** How long encoding and handing over the last push took. */
  readonly lastPush: { readonly encodeMs: number; readonly sendMs: number };
  emit(effect: WorkerEffect): void;
  end(end: WorkerEnd): void;
  /** There is nothing to compute. */
  idle(): void;
  /** No step is under way: what the volunteer asked for meanwhile can be done. */
  heed(): void;
  /** What was given is given back; the next round is welcome. */
  startOver(): void;
  countStep(steps: number, examples: number, loss: number, phases: Phases): void;
  countStale(): void;
}

/** One run at one worker: leases and parameters in, steps, pushes out, in turn. */
export class WorkerTraining {
  readonly #run: WorkerRun;
  readonly #around: WorkerSurroundings;
  readonly #away = new AwayTime();
  #leases: Lease[] = [];
  #params: { readonly version: number; readonly values: Float32Array } | null = null;
  #task: Task | null = null;
  #sums = { ...sums };
  /** Waits until the push before it is answered, or until the keys are found that are to go with it. */
  #finished: Finished | null = null;
  /** A step that failed before the push before it was answered: told after that, as its push would have been. */
  #missed: { readonly lease: number; readonly text: string } | null = null;
  /** The lease whose values the host cannot give before it is told their keys. */
  #due: number | null = null;
  #unanswered: number | null = null;
  #mayGoOn = false;
  #failures = 0;

  constructor(run: WorkerRun, around: WorkerSurroundings) {
    this.#run = run;
    this.#around = around;
  }

  get number(): number {
    return this.#run.run;
  }

  /** Whether there is something that must be handed in before anything else. */
  get isBusy(): boolean {
    return this.#task !== null || this.#finished !== null;
  }

  get isUnanswered(): boolean {
    return this.#unanswered !== null;
  }

  /** Something to compute, by a host that waits for nothing. */
  work(message: Extract<ToWorker, { type: 'work' }>, body: Uint8Array): void {
    this.#cameBack(Number.POSITIVE_INFINITY);
    this.#take(message, body, true);
  }

  /** The one answer to a push. */
  answered(answer: Extract<ToWorker, { type: 'answer' }>, body: Uint8Array): void {
    if (answer.seq !== this.#unanswered) return;
    this.#unanswered = null;
    const isApplied = answer.verdict.kind === 'applied';
    this.#run.feedback.settle(isApplied);
    if (!isApplied) this.#around.countStale();
    if (this.#run.kept?.settle(isApplied) === false) return this.#garbled();
    if (this.#around.isFinishing) return this.#finished ? this.#push(this.#finished) : this.#around.heed();
    this.#cameBack(answer.heldMs);
    this.#take(answer, body, answer.isNext);
  }

  /** Forgets what it has not computed: the host deals it to others. */
  giveBack(): void {
    this.#leases = [];
    this.#missed = null;
    this.#due = null;
    this.#run.kept?.stopAwaiting();
    this.#run.keys?.clear();
  }

  /** From here on, until the host speaks, nobody is waited for. */
  stopClock(): void {
    this.#away.stop();
  }

  /** Gives the host a copy of the parameters, where workers keep them. */
  sendState(): void {
    this.#run.kept?.sendState();
  }

  ring(message: Extract<ToWorker, { type: 'ring' }>): void {
    const { kept } = this.#run;
    // If nobody will send what it waits for, it gives everything back, and is there for the next round.
    if (kept?.form(message) === 'outside' && kept.isAwaiting) this.#around.startOver();
  }

  peerMessage(peer: number, message: ToPeer, body: Uint8Array): void {
    const { kept } = this.#run;
    const version = kept?.hear(peer, message, body) ?? null;
    if (!kept || version === null) return;
    this.#params = { version, values: kept.params };
    this.#compute();
  }

  peerLost(peer: number): void {
    this.#run.kept?.lost(peer);
  }

  foundKeys(lease: number, found: Uint32Array): void {
    const { keys } = this.#run;
    if (!keys?.settle(lease, found)) return;
    if (this.#finished) this.#hand(this.#finished);
    else this.#pull(keys);
  }

  missedKeys(lease: number, text: string): void {
    if (!this.#run.keys?.settle(lease, null)) return;
    if (this.#finished) return this.#push(this.#finished);
    if (this.#due !== lease) return;
    this.#due = null;
    this.#leases.shift();
    this.#giveUp(lease, text);
  }

  computed(taskId: number, { gradient, loss, correct, decodeMs, computeMs, readMs }: StepResult): void {
    const task = this.#task;
    if (task?.id !== taskId) return;
    const { local } = this.#run;
    const before = this.#sums;
    this.#sums = {
      lossSum: before.lossSum + loss,
      correct: correct === null || before.correct === null ? null : before.correct + correct,
      decodeMs: before.decodeMs + decodeMs,
      computeMs: before.computeMs + computeMs,
      readMs: before.readMs + readMs,
    };
    local?.apply(gradient);
    if (local?.next(task.lease)) return this.#computePart(task, local.params);
    this.#failures = 0;
    this.#task = null;
    const finished = {
      ...task,
      gradient: local?.delta() ?? gradient,
      loss: this.#sums.lossSum / (local?.taken ?? 1),
      correct: this.#sums.correct,
      phases: this.#sums,
    };
    if (this.#unanswered === null) this.#hand(finished);
    else {
      this.#finished = finished;
      this.#away.begin(this.#around.nowMs, false);
    }
  }

  /** Nothing of the step is sent; the host deals its examples again and gives other parameters, or none. */
  failed(taskId: number, text: string): void {
    if (this.#task?.id !== taskId) return;
    const { id } = this.#task.lease;
    this.#task = null;
    this.#run.keys?.forget(id);
    if (this.#unanswered === null) return this.#giveUp(id, text);
    this.#missed = { lease: id, text };
    this.#around.heed();
  }

  /** Leases and perhaps parameters from the host; `isNext` if the oldest lease is to be computed. */
  #take({ version, leases, pauses, due }: Given, body: Uint8Array, isNext: boolean): void {
    // Given before the host heard of the last pause, and taken back by it since.
    if (pauses !== this.#around.counts.pauses) return;
    this.#leases.push(...leases);
    this.#mayGoOn = isNext;
    const { down, kept, keys } = this.#run;
    if (keys) {
      if (isNext) return this.#takeValues(keys, version, due, body);
      this.#findAhead(keys);
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
    if (this.#missed) this.#giveUp(this.#missed.lease, this.#missed.text);
    else if (this.#finished) this.#push(this.#finished);
    else if (isNext) this.#compute();
    else if (!this.#task) this.#around.idle();
  }

  /** The lease that is due, and the values of its keys if the host knows them. */
  #takeValues(keys: LeaseKeys, version: number, due: number, body: Uint8Array): void {
    const place = this.#leases.findIndex(({ id }) => id === due);
    // Those before it were taken back.
    for (const { id } of this.#leases.splice(0, Math.max(0, place))) keys.forget(id);
    if (place >= 0 && body.length === 0) {
      this.#due = due;
      return this.#pull(keys);
    }
    const values = place < 0 ? null : keys.decode(due, body);
    if (!values) return this.#garbled();
    this.#params = { version, values };
    this.#compute();
  }

  /** Tells the host the keys it needs, once they are found. */
  #pull(keys: LeaseKeys): void {
    const lease = this.#leases[0];
    if (this.#due === null || lease?.id !== this.#due) return;
    const found = keys.of(lease.id);
    if (!found) return this.#find(keys, lease);
    this.#due = null;
    this.#send({ type: 'pull', run: this.number, lease: lease.id, count: found.length }, keys.encode(found));
    this.#findAhead(keys);
  }

  #find(keys: LeaseKeys, lease: Lease): void {
    if (keys.claim(lease.id)) this.#around.emit({ type: 'prefetch', lease });
  }

  /** While there is nothing else to do: what the leases to come touch. */
  #findAhead(keys: LeaseKeys): void {
    for (const lease of this.#leases) this.#find(keys, lease);
  }

  /** Begins the oldest lease on the parameters that are here. */
  #compute(): void {
    const { isPaused, isFinishing, nowMs, counts } = this.#around;
    if (this.#task || isPaused || isFinishing || !this.#params) return;
    const lease = this.#leases.shift();
    if (!lease) return this.#around.idle();
    counts.tasks += 1;
    this.#task = { id: counts.tasks, version: this.#params.version, lease, startedMs: nowMs };
    this.#sums = { ...sums };
    this.#around.emit({ type: 'stage', stage: 'training' });
    this.#run.local?.begin(this.#params.values);
    this.#computePart(this.#task, this.#params.values);
  }

  #computePart({ id, lease }: Task, given: Float32Array): void {
    const { local } = this.#run;
    const part = local ? local.next(lease) : lease;
    if (part) this.#around.emit({ type: 'compute', task: id, lease: part, params: local?.params ?? given });
  }

  /** Pushes, with the keys of the lease that is next: if they are not found yet, a moment's wait saves an exchange. */
  #hand(finished: Finished): void {
    const { keys } = this.#run;
    const next = this.#nextLease;
    this.#finished = finished;
    if (!keys || !next || keys.of(next.id)) return this.#push(finished);
    this.#find(keys, next);
  }

  /** What will be computed next, if anything. */
  get #nextLease(): Lease | null {
    return this.#around.isPaused || this.#around.isFinishing ? null : (this.#leases[0] ?? null);
  }

  #push({ version, lease, gradient, loss, correct, phases: parts, startedMs }: Finished): void {
    const { run, feedback, random, kept, keys, experiment, local } = this.#run;
    const { counts, lastPush, isPaused, isFinishing, nowMs } = this.#around;
    this.#finished = null;
    const joined = keys?.join(gradient, this.#nextLease?.id ?? null, random);
    const body = kept ? null : (joined?.body ?? feedback.encode(gradient, random));
    const next = joined?.next ?? null;
    keys?.forget(lease.id);
    const { decodeMs, computeMs, readMs } = parts;
    const phases = { ...this.#away.take(), decodeMs, computeMs, readMs, ...lastPush };
    this.#away.begin(nowMs, true);
    counts.pushes += 1;
    this.#unanswered = counts.pushes;
    const { id, count: examples } = lease;
    const head = { run, seq: counts.pushes, lease: id, version, examples, loss, correct, phases, peerBytes: 0, next };
    this.#send({ type: 'push', ...head }, body);
    this.#around.emit({ type: 'stepped', startedMs, version, phases });
    this.#around.countStep(local?.taken ?? 1, examples, loss, phases);
    kept?.offer(gradient, version);
    kept?.tellReduced();
    if (isPaused || isFinishing) return this.#around.heed();
    const isOverlapped = experiment.overlap && experiment.strategy === 'async';
    if (isOverlapped && this.#mayGoOn) return this.#compute();
    if (keys) return this.#findAhead(keys);
    const ahead = this.#leases[0];
    if (ahead) this.#around.emit({ type: 'prefetch', lease: local?.next(ahead) ?? ahead });
  }

  #giveUp(lease: number, text: string): void {
    this.#missed = null;
    this.#failures += 1;
    this.#send({ type: 'trouble', run: this.number, lease, text: text.slice(0, 300) });
    if (this.#failures >= MAX_FAILURES) return this.#around.end({ kind: 'device', detail: text });
    this.#around.idle();
    this.#around.heed();
  }

  #cameBack(heldMs: number): void {
    const { nowMs, lastPush } = this.#around;
    this.#away.cameBack(nowMs, heldMs, this.#task !== null, lastPush.encodeMs + lastPush.sendMs);
  }

  #garbled(): void {
    this.#around.end({ kind: 'refused', reason: 'garbled' });
  }

  #send(message: ToHost, body: Uint8Array | null = null): void {
    this.#around.emit({ type: 'send', message, body });
  }
}

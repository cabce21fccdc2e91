import type { Experiment } from './config.ts';
import { addPhases, noPhases } from './member.ts';
import { type Lease, type Phases, PROTOCOL, type ToHost, type ToPeer, type ToWorker } from './protocol.ts';
import type { LeaseKeys } from './sparse/lease-keys.ts';
import type { StepResult, WorkerEffect, WorkerEnd, WorkerEvent } from './worker-events.ts';
import { type WorkerRun, workerRun } from './worker-run.ts';

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

/**
 * The worker's half of the protocol over one link: says hello, prepares, computes what it is given, hands it in. As the
 * server, it is a function of state, event and time: it owns no link, no clock and no device.
 */
export class WorkerSide {
  #effects: WorkerEffect[] = [];
  #nowMs = 0;
  #token: string;
  #self = 0;
  #isPaused: boolean;
  #isFinishing: boolean;
  #isOver = false;
  #run: WorkerRun | null = null;
  /** Being prepared; nothing is computed for it yet. */
  #preparing: { readonly run: number; readonly experiment: Experiment } | null = null;
  #leases: Lease[] = [];
  #params: { readonly version: number; readonly values: Float32Array } | null = null;
  #task: Task | null = null;
  #tasks = 0;
  /** Waits until the push before it is answered, or until the keys are found that are to go with it. */
  #finished: Finished | null = null;
  /** The lease whose values the host cannot give before it is told their keys. */
  #due: number | null = null;
  /** A step that failed before the push before it was answered: told after that, as its push would have been. */
  #missed: { readonly lease: number; readonly text: string } | null = null;
  #seq = 0;
  #unanswered: number | null = null;
  #mayGoOn = false;
  #pauses = 0;
  #failures = 0;
  #sums = { ...sums };
  /** Since when there is nothing to compute; null before the first step. */
  #awaySinceMs: number | null = null;
  #away = { waitMs: 0, transferMs: 0 };
  /** How long encoding and handing over the last push took; measured and set by who owns the clock. */
  lastPush = { encodeMs: 0, sendMs: 0 };
  /** Replaced when it changes. */
  counted: {
    readonly steps: number;
    readonly examples: number;
    readonly stale: number;
    readonly lastLoss: number | null;
  } = { steps: 0, examples: 0, stale: 0, lastLoss: null };
  phases: Phases = noPhases;

  constructor(token: string, settings: { readonly isPaused: boolean; readonly isFinishing: boolean }) {
    this.#token = token;
    this.#isPaused = settings.isPaused;
    this.#isFinishing = settings.isFinishing;
  }

  get token(): string {
    return this.#token;
  }

  /** The run whose parameters are being used or prepared. */
  get runNumber(): number {
    return this.#run?.run ?? this.#preparing?.run ?? 0;
  }

  /** The first words on a new link. */
  hello(name: string, device: string): readonly WorkerEffect[] {
    this.#effects = [];
    this.#send({ type: 'hello', protocol: PROTOCOL, token: this.#token, name, device });
    return this.#effects;
  }

  /** Applies one event and says what is to be done about it. */
  handle(event: WorkerEvent, nowMs: number): readonly WorkerEffect[] {
    this.#nowMs = nowMs;
    this.#effects = [];
    if (!this.#isOver) this.#dispatch(event);
    return this.#effects;
  }

  #dispatch(event: WorkerEvent): void {
    switch (event.type) {
      case 'message':
        return this.#message(event.message, event.body);
      case 'prepared':
        return this.#prepared(event);
      case 'computed':
        return this.#computed(event.task, event.result);
      case 'failed':
        return this.#failed(event.task, event.text);
      case 'keys':
        return this.#foundKeys(event.run, event.lease, event.keys);
      case 'no-keys':
        return this.#missedKeys(event.run, event.lease, event.text);
      case 'settings':
        return this.#settings(event.isPaused, event.isFinishing);
      case 'peer-message':
        return this.#peerMessage(event.peer, event.message, event.body);
      case 'peer-lost':
        return this.#run?.kept?.lost(event.peer);
      case 'leave':
        return this.#leave();
      case 'beat':
        return this.#send({ type: 'beat' });
      default:
        event satisfies never;
    }
  }

  #message(message: ToWorker, body: Uint8Array): void {
    switch (message.type) {
      case 'welcome':
        this.#token = message.token;
        this.#self = message.worker;
        return this.#idle();
      case 'run':
        this.#drop();
        this.#run = null;
        if (this.#isFinishing) return this.#leave();
        this.#preparing = { run: message.run, experiment: message.experiment };
        this.#effects.push({ type: 'prepare', run: message.run, experiment: message.experiment });
        return;
      case 'work':
        this.#cameBack(Number.POSITIVE_INFINITY);
        return this.#take(message, body, true);
      case 'answer':
        return this.#answered(message, body);
      case 'ring':
        return this.#ring(message);
      case 'fetch':
        if (message.run === this.#run?.run) this.#run.kept?.sendState();
        return;
      // The session sees to it by itself.
      case 'examples':
        return;
      case 'signal':
        this.#effects.push({ type: 'signal', peer: message.peer, data: message.data });
        return;
      case 'progress':
        if (message.phase === 'finished' && !this.#isPaused) this.#stage('finished');
        return;
      case 'bye':
        return this.#end({ kind: 'refused', reason: message.reason });
      default:
        message satisfies never;
    }
  }

  #prepared({ run, schema, backend }: Extract<WorkerEvent, { type: 'prepared' }>): void {
    if (run !== this.#preparing?.run) return;
    const { experiment } = this.#preparing;
    this.#preparing = null;
    this.#run = workerRun({ run, experiment, schema, self: this.#self }, (effect) => this.#emit(effect));
    const { bytes, peerBytes } = this.#run;
    this.#emit({ type: 'expect', bytes, peerBytes });
    this.#idle();
    const { name, why } = backend;
    this.#send({ type: 'ready', run, schema: schema.hash, backend: name, why: why.slice(0, 200) });
    if (this.#isPaused) this.#pause();
  }

  #answered(answer: Extract<ToWorker, { type: 'answer' }>, body: Uint8Array): void {
    const isMine = answer.seq === this.#unanswered && answer.run === this.#run?.run;
    if (!isMine || !this.#run) return;
    this.#unanswered = null;
    const isApplied = answer.verdict.kind === 'applied';
    this.#run.feedback.settle(isApplied);
    if (!isApplied) this.counted = { ...this.counted, stale: this.counted.stale + 1 };
    if (this.#run.kept?.settle(isApplied) === false) return this.#end({ kind: 'refused', reason: 'garbled' });
    if (this.#isFinishing) return this.#leave();
    this.#cameBack(answer.heldMs);
    this.#take(answer, body, answer.isNext);
  }

  /** Leases and perhaps parameters from the host; `isNext` if the oldest lease is to be computed. */
  #take({ run, version, leases, pauses, due }: Given, body: Uint8Array, isNext: boolean): void {
    // Given before the host heard of the last pause, and taken back by it since.
    if (run !== this.#run?.run || pauses !== this.#pauses) return;
    this.#leases.push(...leases);
    this.#mayGoOn = isNext;
    const { down, kept, keys } = this.#run;
    if (keys) {
      if (isNext) return this.#takeValues(keys, version, due, body);
      this.#findAhead(keys);
    } else if (kept) {
      const found = isNext ? kept.take(version, body) : null;
      if (found === 'garbled') return this.#end({ kind: 'refused', reason: 'garbled' });
      if (found) this.#params = found === 'here' ? { version, values: kept.params } : null;
    } else if (body.length > 0) {
      if (this.#params && !this.#task && !this.#finished) down.recycle(this.#params.values);
      const values = down.decode(body);
      if (!values) return this.#end({ kind: 'refused', reason: 'garbled' });
      this.#params = { version, values };
    }
    if (this.#missed) this.#giveUp(this.#missed.lease, this.#missed.text);
    else if (this.#finished) this.#push(this.#finished);
    else if (isNext) this.#compute();
    else if (!this.#task) this.#idle();
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
    if (!values) return this.#end({ kind: 'refused', reason: 'garbled' });
    this.#params = { version, values };
    this.#compute();
  }

  /** Tells the host the keys it needs, once they are found. */
  #pull(keys: LeaseKeys): void {
    const lease = this.#leases[0];
    if (this.#due === null || lease?.id !== this.#due || !this.#run) return;
    const found = keys.of(lease.id);
    if (!found) return this.#find(keys, lease);
    this.#due = null;
    this.#send({ type: 'pull', run: this.#run.run, lease: lease.id, count: found.length }, keys.encode(found));
    this.#findAhead(keys);
  }

  #find(keys: LeaseKeys, lease: Lease): void {
    if (keys.claim(lease.id)) this.#effects.push({ type: 'prefetch', lease });
  }

  /** While there is nothing else to do: what the leases to come touch. */
  #findAhead(keys: LeaseKeys): void {
    for (const lease of this.#leases) this.#find(keys, lease);
  }

  #foundKeys(run: number, lease: number, found: Uint32Array): void {
    const keys = run === this.#run?.run ? this.#run.keys : null;
    if (!keys?.settle(lease, found)) return;
    if (this.#finished) this.#hand(this.#finished);
    else this.#pull(keys);
  }

  #missedKeys(run: number, lease: number, text: string): void {
    const keys = run === this.#run?.run ? this.#run.keys : null;
    if (!keys?.settle(lease, null)) return;
    if (this.#finished) return this.#push(this.#finished);
    if (this.#due !== lease) return;
    this.#due = null;
    this.#leases.shift();
    this.#giveUp(lease, text);
  }

  /** Begins the oldest lease on the parameters that are here. */
  #compute(): void {
    if (this.#task || this.#isPaused || this.#isFinishing || !this.#params || !this.#run) return;
    const lease = this.#leases.shift();
    if (!lease) return this.#idle();
    this.#tasks += 1;
    this.#task = { id: this.#tasks, version: this.#params.version, lease, startedMs: this.#nowMs };
    this.#sums = { ...sums };
    this.#stage('training');
    this.#run.local?.begin(this.#params.values);
    this.#computePart(this.#task, this.#params.values);
  }

  #computePart({ id, lease }: Task, given: Float32Array): void {
    const local = this.#run?.local;
    const part = local ? local.next(lease) : lease;
    if (part) this.#effects.push({ type: 'compute', task: id, lease: part, params: local?.params ?? given });
  }

  #computed(taskId: number, { gradient, loss, correct, decodeMs, computeMs, readMs }: StepResult): void {
    const task = this.#task;
    if (task?.id !== taskId || !this.#run || !this.#params) return;
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
    const { id, version, lease, startedMs } = task;
    const finished = {
      id,
      version,
      lease,
      startedMs,
      gradient: local?.delta() ?? gradient,
      loss: this.#sums.lossSum / (local?.taken ?? 1),
      correct: this.#sums.correct,
      phases: this.#sums,
    };
    if (this.#unanswered === null) this.#hand(finished);
    else this.#finished = finished;
  }

  /** Pushes, with the keys of the lease that is next: if they are not found yet, a moment's wait saves an exchange. */
  #hand(finished: Finished): void {
    const keys = this.#run?.keys;
    const next = this.#nextLease;
    this.#finished = finished;
    if (!keys || !next || keys.of(next.id)) return this.#push(finished);
    this.#find(keys, next);
  }

  /** What will be computed next, if anything. */
  get #nextLease(): Lease | null {
    return this.#isPaused || this.#isFinishing ? null : (this.#leases[0] ?? null);
  }

  #push({ version, lease, gradient, loss, correct, phases: parts, startedMs }: Finished): void {
    const { run, feedback, random, kept, keys, experiment } = this.#run as WorkerRun;
    this.#finished = null;
    const joined = keys?.join(gradient, this.#nextLease?.id ?? null, random);
    const body = kept ? null : (joined?.body ?? feedback.encode(gradient, random));
    const next = joined?.next ?? null;
    keys?.forget(lease.id);
    const { waitMs, transferMs } = this.#away;
    const { decodeMs, computeMs, readMs } = parts;
    const { encodeMs, sendMs } = this.lastPush;
    const phases = { waitMs, transferMs, decodeMs, computeMs, readMs, encodeMs, sendMs };
    this.#away = { waitMs: 0, transferMs: 0 };
    this.#awaySinceMs = this.#nowMs;
    this.#seq += 1;
    this.#unanswered = this.#seq;
    const { id, count: examples } = lease;
    const seq = this.#seq;
    const head = { run, seq, lease: id, version, examples, loss, correct, phases, peerBytes: 0, next };
    this.#send({ type: 'push', ...head }, body);
    this.#effects.push({ type: 'stepped', startedMs, version, phases });
    this.#count(lease.count, experiment, loss, phases);
    kept?.offer(gradient, version);
    kept?.tellReduced();
    if (this.#isPaused || this.#isFinishing) return this.#settings(this.#isPaused, this.#isFinishing);
    const isOverlapped = experiment.overlap && experiment.strategy === 'async';
    if (isOverlapped && this.#mayGoOn) return this.#compute();
    if (keys) return this.#findAhead(keys);
    const ahead = this.#leases[0];
    if (ahead) this.#effects.push({ type: 'prefetch', lease: this.#run?.local?.next(ahead) ?? ahead });
  }

  #count(examples: number, { strategy, localSteps }: Experiment, loss: number, phases: Phases): void {
    const { steps, examples: before, stale } = this.counted;
    const more = strategy === 'local' ? localSteps : 1;
    this.counted = { steps: steps + more, examples: before + examples, stale, lastLoss: loss };
    this.phases = addPhases(this.phases, phases);
  }

  /** Nothing of the step is sent; the host deals its examples again and gives other parameters, or none. */
  #failed(taskId: number, text: string): void {
    if (this.#task?.id !== taskId || !this.#run) return;
    const { lease } = this.#task;
    this.#task = null;
    this.#run.keys?.forget(lease.id);
    if (this.#unanswered === null) return this.#giveUp(lease.id, text);
    this.#missed = { lease: lease.id, text };
    this.#settings(this.#isPaused, this.#isFinishing);
  }

  #giveUp(lease: number, text: string): void {
    this.#missed = null;
    this.#failures += 1;
    this.#send({ type: 'trouble', run: this.#run?.run ?? 0, lease, text: text.slice(0, 300) });
    if (this.#failures >= MAX_FAILURES) return this.#end({ kind: 'device', detail: text });
    if (this.#isPaused || this.#isFinishing) return this.#settings(this.#isPaused, this.#isFinishing);
    this.#idle();
  }

  /** The volunteer paused, went on, or asked to finish: told to the host as soon as no step is under way. */
  #settings(isPaused: boolean, isFinishing: boolean): void {
    const wasPaused = this.#isPaused && this.#pausedHere;
    this.#isPaused = isPaused;
    this.#isFinishing = isFinishing;
    if (this.#task || this.#finished) return;
    if (isFinishing) {
      // A push under way is answered first: closing at once could lose it.
      if (this.#unanswered === null) return this.#leave();
      return this.#stage('finishing');
    }
    if (isPaused === wasPaused) return;
    if (isPaused) this.#pause();
    else {
      this.#pausedHere = false;
      this.#send({ type: 'resume' });
    }
    // A volunteer's pause is nobody's waiting.
    this.#awaySinceMs = null;
    this.#idle();
  }

  /** Whether the host was told of the pause. */
  #pausedHere = false;

  /** Whoever pauses gives back what it has not computed. */
  #pause(): void {
    this.#pausedHere = true;
    this.#leases = [];
    this.#missed = null;
    this.#due = null;
    this.#run?.kept?.stopAwaiting();
    this.#run?.keys?.clear();
    this.#pauses += 1;
    this.#send({ type: 'pause' });
  }

  #ring(message: Extract<ToWorker, { type: 'ring' }>): void {
    const kept = message.run === this.#run?.run ? this.#run.kept : null;
    if (!kept || kept.form(message) === 'inside' || !kept.isAwaiting) return;
    // Nobody will send what it waits for: it gives everything back, and is there for the next round.
    this.#pause();
    this.#pausedHere = false;
    this.#send({ type: 'resume' });
  }

  #peerMessage(peer: number, message: ToPeer, body: Uint8Array): void {
    const kept = message.run === this.#run?.run ? this.#run.kept : null;
    const version = kept?.hear(peer, message, body) ?? null;
    if (!kept || version === null) return;
    this.#params = { version, values: kept.params };
    this.#compute();
  }

  /** The host spoke: of the time since the push it held it for `heldMs`, the rest was on the way. */
  #cameBack(heldMs: number): void {
    const awayMs = this.#awaySinceMs === null || this.#task ? 0 : this.#nowMs - this.#awaySinceMs;
    const waitMs = Math.min(heldMs, awayMs);
    this.#away.waitMs += waitMs;
    this.#away.transferMs += awayMs - waitMs;
    this.#awaySinceMs = this.#nowMs;
  }

  /** Nothing of an older run is of use any more. */
  #drop(): void {
    this.#leases = [];
    this.#task = null;
    this.#finished = null;
    this.#missed = null;
    this.#params = null;
    this.#due = null;
    this.#run?.kept?.stopAwaiting();
    this.#unanswered = null;
    // The time between two runs is nobody's waiting.
    this.#awaySinceMs = null;
    this.#away = { waitMs: 0, transferMs: 0 };
  }

  #leave(): void {
    this.#send({ type: 'leave' });
    this.#end({ kind: 'left' });
  }

  #end(end: WorkerEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#effects.push({ type: 'end', end });
  }

  /** There is nothing to compute: because the volunteer wants it so, or until the host speaks. */
  #idle(): void {
    this.#stage(this.#isPaused ? 'paused' : 'waiting');
  }

  #stage(stage: Extract<WorkerEffect, { type: 'stage' }>['stage']): void {
    this.#effects.push({ type: 'stage', stage: this.#isFinishing && stage === 'training' ? 'finishing' : stage });
  }

  #send(message: ToHost, body: Uint8Array | null = null): void {
    this.#emit({ type: 'send', message, body });
  }

  #emit(effect: WorkerEffect): void {
    if (!this.#isOver) this.#effects.push(effect);
  }
}

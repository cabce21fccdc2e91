import type { Experiment } from '../../experiment/experiment.ts';
import { addPhases, noPhases } from '../wire/phases.ts';
import { type Phases, PROTOCOL, type ToHost, type ToWorker } from '../wire/protocol.ts';
import type { WorkerEffect, WorkerEnd, WorkerEvent } from './worker-events.ts';
import { workerRun } from './worker-run.ts';
import { type WorkerSurroundings, WorkerTraining } from './worker-training.ts';

/**
 * The worker's half of the protocol over one link: says hello, prepares, takes part in one run after the other, pauses and
 * leaves. As the server, it is a function of state, event and time: it owns no link, no clock and no device.
 */
export class WorkerSide {
  #effects: WorkerEffect[] = [];
  #nowMs = 0;
  #token: string;
  #self = 0;
  #isPaused: boolean;
  #isFinishing: boolean;
  /** Whether the host was told of the pause. */
  #isPauseTold = false;
  #isOver = false;
  readonly #counts = { pauses: 0, pushes: 0, tasks: 0 };
  readonly #around: WorkerSurroundings;
  #training: WorkerTraining | null = null;
  /** Being prepared; nothing is computed for it yet. */
  #preparing: { readonly run: number; readonly experiment: Experiment } | null = null;
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
    this.#around = this.#surroundings();
  }

  get token(): string {
    return this.#token;
  }

  /** The run whose parameters are being used or prepared. */
  get runNumber(): number {
    return this.#training?.number ?? this.#preparing?.run ?? 0;
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
        return this.#training?.computed(event.task, event.result);
      case 'failed':
        return this.#training?.failed(event.task, event.text);
      case 'keys':
        return this.#trainingOf(event.run)?.foundKeys(event.lease, event.keys);
      case 'no-keys':
        return this.#trainingOf(event.run)?.missedKeys(event.lease, event.text);
      case 'settings':
        return this.#settings(event.isPaused, event.isFinishing);
      case 'peer-message':
        return this.#trainingOf(event.message.run)?.peerMessage(event.peer, event.message, event.body);
      case 'peer-lost':
        return this.#training?.peerLost(event.peer);
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
        // Nothing of an older run is of use any more.
        this.#training = null;
        if (this.#isFinishing) return this.#leave();
        this.#preparing = { run: message.run, experiment: message.experiment };
        return this.#emit({ type: 'prepare', run: message.run, experiment: message.experiment });
      case 'work':
        return this.#trainingOf(message.run)?.work(message, body);
      case 'answer':
        return this.#trainingOf(message.run)?.answered(message, body);
      case 'ring':
        return this.#trainingOf(message.run)?.ring(message);
      case 'fetch':
        return this.#trainingOf(message.run)?.sendState();
      // The session sees to it by itself.
      case 'examples':
        return;
      case 'signal':
        return this.#emit({ type: 'signal', peer: message.peer, data: message.data });
      case 'progress':
        if (message.phase === 'finished' && !this.#isPaused) this.#stage('finished');
        return;
      case 'bye':
        return this.#end({ kind: 'refused', reason: message.reason });
      default:
        message satisfies never;
    }
  }

  /** What belongs to another run is late, and means nothing. */
  #trainingOf(run: number): WorkerTraining | null {
    return this.#training?.number === run ? this.#training : null;
  }

  #prepared({ run, schema, backend }: Extract<WorkerEvent, { type: 'prepared' }>): void {
    if (run !== this.#preparing?.run) return;
    const { experiment } = this.#preparing;
    this.#preparing = null;
    const laid = workerRun({ run, experiment, schema, self: this.#self }, (effect) => this.#emit(effect));
    this.#training = new WorkerTraining(laid, this.#around);
    this.#emit({ type: 'expect', bytes: laid.bytes, peerBytes: laid.peerBytes });
    this.#idle();
    const { name, why } = backend;
    this.#send({ type: 'ready', run, schema: schema.hash, backend: name, why: why.slice(0, 200) });
    if (this.#isPaused) this.#pause();
  }

  /** The volunteer paused, went on, or asked to finish: told to the host as soon as no step is under way. */
  #settings(isPaused: boolean, isFinishing: boolean): void {
    const wasPaused = this.#isPaused && this.#isPauseTold;
    this.#isPaused = isPaused;
    this.#isFinishing = isFinishing;
    if (this.#training?.isBusy) return;
    if (isFinishing) {
      // A push under way is answered first: closing at once could lose it.
      return this.#training?.isUnanswered ? this.#stage('finishing') : this.#leave();
    }
    if (isPaused === wasPaused) return;
    if (isPaused) this.#pause();
    else this.#resume();
    this.#training?.stopClock();
    this.#idle();
  }

  /** Whoever pauses gives back what it has not computed. */
  #pause(): void {
    this.#isPauseTold = true;
    this.#training?.giveBack();
    this.#counts.pauses += 1;
    this.#send({ type: 'pause' });
  }

  #resume(): void {
    this.#isPauseTold = false;
    this.#send({ type: 'resume' });
  }

  #surroundings(): WorkerSurroundings {
    const side = this;
    return {
      get nowMs() {
        return side.#nowMs;
      },
      get isPaused() {
        return side.#isPaused;
      },
      get isFinishing() {
        return side.#isFinishing;
      },
      get lastPush() {
        return side.lastPush;
      },
      counts: this.#counts,
      emit: (effect) => this.#emit(effect),
      end: (end) => this.#end(end),
      idle: () => this.#idle(),
      heed: () => this.#settings(this.#isPaused, this.#isFinishing),
      startOver: () => {
        this.#pause();
        this.#resume();
      },
      countStep: (steps, examples, loss, phases) => {
        const { steps: before, examples: counted, stale } = this.counted;
        this.counted = { steps: before + steps, examples: counted + examples, stale, lastLoss: loss };
        this.phases = addPhases(this.phases, phases);
      },
      countStale: () => {
        this.counted = { ...this.counted, stale: this.counted.stale + 1 };
      },
    };
  }

  #leave(): void {
    this.#send({ type: 'leave' });
    this.#end({ kind: 'left' });
  }

  #end(end: WorkerEnd): void {
    this.#emit({ type: 'end', end });
    this.#isOver = true;
  }

  /** There is nothing to compute: because the volunteer wants it so, or until the host speaks. */
  #idle(): void {
    this.#stage(this.#isPaused ? 'paused' : 'waiting');
  }

  #stage(stage: Extract<WorkerEffect, { type: 'stage' }>['stage']): void {
    this.#emit({ type: 'stage', stage });
  }

  #send(message: ToHost, body: Uint8Array | null = null): void {
    this.#emit({ type: 'send', message, body });
  }

  #emit(effect: WorkerEffect): void {
    if (!this.#isOver) this.#effects.push(effect);
  }
}

import type { Experiment } from '../../experiment/experiment.ts';
import { type Phases, PROTOCOL, type ToWorker } from '../wire/protocol.ts';
import type { WorkerEffect, WorkerEvent } from './worker-events.ts';
import { workerRun } from './worker-run.ts';
import { WorkerTraining } from './worker-training.ts';
import { type WorkerSettings, WorkerTurn } from './worker-turn.ts';

type State =
  /** For a run. */
  | { readonly kind: 'waiting' }
  /** Nothing is computed for it yet. */
  | { readonly kind: 'preparing'; readonly run: number; readonly experiment: Experiment }
  | { readonly kind: 'training'; readonly run: number; readonly training: WorkerTraining };

/**
 * The worker's half of the protocol over one link: says hello, prepares, takes part in one run after the other, pauses and
 * leaves. As the server, it is a function of state, event and time: it owns no link, no clock and no device.
 */
export class WorkerSide {
  readonly #turn: WorkerTurn;
  #token: string;
  #self = 0;
  /** Whether the host was told of the pause. */
  #isPauseTold = false;
  #state: State = { kind: 'waiting' };

  constructor(token: string, settings: WorkerSettings) {
    this.#token = token;
    this.#turn = new WorkerTurn(settings);
  }

  get token(): string {
    return this.#token;
  }

  /** Replaced when it changes. */
  get counted(): WorkerTurn['counted'] {
    return this.#turn.counted;
  }

  get phases(): Phases {
    return this.#turn.phases;
  }

  /** How long encoding and handing over the last push took: for whoever owns the clock to set. */
  get lastPush(): WorkerTurn['lastPush'] {
    return this.#turn.lastPush;
  }

  /** The run whose parameters are being used or prepared. */
  get runNumber(): number {
    return this.#state.kind === 'waiting' ? 0 : this.#state.run;
  }

  get #training(): WorkerTraining | null {
    return this.#state.kind === 'training' ? this.#state.training : null;
  }

  /** The first words on a new link. */
  hello(name: string, device: string): readonly WorkerEffect[] {
    this.#turn.send({ type: 'hello', protocol: PROTOCOL, token: this.#token, name, device });
    return this.#turn.effects;
  }

  /** Applies one event and says what is to be done about it. */
  handle(event: WorkerEvent, nowMs: number): readonly WorkerEffect[] {
    this.#turn.begin(nowMs);
    if (!this.#turn.isOver) this.#dispatch(event);
    return this.#turn.effects;
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
        return this.#settings(event);
      case 'peer-message':
        return this.#trainingOf(event.message.run)?.peerMessage(event.peer, event.message, event.body);
      case 'peer-lost':
        return this.#training?.kept?.lost(event.peer);
      case 'leave':
        return this.#leave();
      case 'beat':
        return this.#turn.send({ type: 'beat' });
      default:
        event satisfies never;
    }
  }

  #message(message: ToWorker, body: Uint8Array): void {
    switch (message.type) {
      case 'welcome':
        this.#token = message.token;
        this.#self = message.worker;
        return this.#turn.idle();
      case 'run':
        if (this.#turn.settings.isFinishing) return this.#leave();
        // Nothing of an older run is of use any more.
        this.#state = { kind: 'preparing', run: message.run, experiment: message.experiment };
        return this.#turn.emit({ type: 'prepare', run: message.run, experiment: message.experiment });
      case 'work':
        return this.#trainingOf(message.run)?.work(message, body);
      case 'answer':
        return this.#trainingOf(message.run)?.answered(message, body);
      case 'ring':
        return this.#trainingOf(message.run)?.ring(message);
      case 'fetch':
        return this.#trainingOf(message.run)?.kept?.sendState();
      // The session sees to it by itself.
      case 'examples':
        return;
      case 'signal':
        return this.#turn.emit({ type: 'signal', peer: message.peer, data: message.data });
      case 'progress':
        if (message.phase === 'finished' && !this.#turn.settings.isPaused) this.#stage('finished');
        return;
      case 'bye':
        return this.#turn.end({ kind: 'refused', reason: message.reason });
      default:
        message satisfies never;
    }
  }

  /** Whatever belongs to another run is late and is ignored. */
  #trainingOf(run: number): WorkerTraining | null {
    return this.runNumber === run ? this.#training : null;
  }

  #prepared({ run, schema, backend }: Extract<WorkerEvent, { type: 'prepared' }>): void {
    if (this.#state.kind !== 'preparing' || run !== this.#state.run) return;
    const turn = this.#turn;
    const laid = workerRun({ run, experiment: this.#state.experiment, schema, self: this.#self, turn });
    const training = new WorkerTraining({
      run: laid,
      turn,
      heed: () => this.#settings(turn.settings),
      startOver: () => {
        this.#pause();
        this.#resume();
      },
    });
    this.#state = { kind: 'training', run, training };
    turn.emit({ type: 'expect', bytes: laid.bytes, peerBytes: laid.peerBytes });
    turn.idle();
    const { name, why } = backend;
    turn.send({ type: 'ready', run, schema: schema.hash, backend: name, why: why.slice(0, 200) });
    if (turn.settings.isPaused) this.#pause();
  }

  /** The volunteer paused, went on, or asked to finish: told to the host as soon as no step is under way. */
  #settings(settings: WorkerSettings): void {
    const wasPaused = this.#turn.settings.isPaused && this.#isPauseTold;
    this.#turn.settings = settings;
    if (this.#training?.isBusy) return;
    if (settings.isFinishing) {
      // A push under way is answered first: closing at once could lose it.
      return this.#training?.isUnanswered ? this.#stage('finishing') : this.#leave();
    }
    if (settings.isPaused === wasPaused) return;
    if (settings.isPaused) this.#pause();
    else this.#resume();
    this.#training?.stopClock();
    this.#turn.idle();
  }

  /** Whoever pauses gives back what it has not computed. */
  #pause(): void {
    this.#isPauseTold = true;
    this.#training?.giveBack();
    this.#turn.pauses += 1;
    this.#turn.send({ type: 'pause' });
  }

  #resume(): void {
    this.#isPauseTold = false;
    this.#turn.send({ type: 'resume' });
  }

  #leave(): void {
    this.#turn.send({ type: 'leave' });
    this.#turn.end({ kind: 'left' });
  }

  #stage(stage: Extract<WorkerEffect, { type: 'stage' }>['stage']): void {
    this.#turn.emit({ type: 'stage', stage });
  }
}

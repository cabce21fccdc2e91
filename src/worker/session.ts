import { leaseExamples } from '../core/server/leases.ts';
import { maxExampleBytes } from '../core/sparse/example-coding.ts';
import type { Received } from '../core/wire/inbox.ts';
import { type Lease, type Phases, readToWorker, type ToWorker } from '../core/wire/protocol.ts';
import type { WorkerEffect, WorkerEnd, WorkerEvent } from '../core/worker/worker-events.ts';
import { WorkerSide } from '../core/worker/worker-side.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { resolveExperiment } from '../models/plan.ts';
import { type EmulatedLink, emulate } from '../net/link/emulate.ts';
import type { Link } from '../net/link/link.ts';
import { Messenger } from '../net/link/messenger.ts';
import { portLink } from '../net/link/port.ts';
import type { Compute } from './compute.ts';
import { EmulatedConditions } from './emulated-conditions.ts';
import { ExampleRequests } from './example-requests.ts';
import { type Failure, failureOf } from './failure.ts';
import { Peers } from './peers.ts';
import type { Trouble, WorkerView } from './state.ts';
import type { ToTrainer } from './thread.ts';

/** The host drops a worker after a minute of silence. */
const BEAT_MS = 5000;
/** The protocol's limit for words on trouble. */
const MAX_TROUBLE = 300;

export interface SessionDeps {
  readonly compute: Compute;
  readonly name: string;
  readonly device: string;
  now(): number;
  /** Called with the parts of the view that changed. */
  publish(change: Partial<WorkerView>): void;
  /** A step is over; for timelines. */
  onStep(step: { startedMs: number; version: number; phases: Phases }): void;
  /** Links to other workers are needed; `peer` or `peer-failed` follows for each that is called. */
  connectPeers(calls: readonly number[], expects: readonly number[]): void;
  /** Another worker's words on how to connect, through the host. */
  hearSignal(peer: number, data: string): void;
}

export interface SessionSettings {
  intensity: number;
  isPaused: boolean;
  isFinishing: boolean;
}

/** What a session hears from its page: settings that changed, and messages for the host or from other workers' links. */
export type ToSession =
  | Extract<WorkerEvent, { type: 'settings' }>
  | Extract<ToTrainer, { type: 'leave' | 'peer' | 'peer-failed' | 'sample' | 'signal' }>;

/**
 * Runs the worker's side of the protocol over one link: turns frames into events and effects into frames and steps.
 * `onEnd` is called once, when the link is over.
 */
export class Session {
  readonly #deps: SessionDeps;
  readonly #settings: SessionSettings;
  readonly #side: WorkerSide;
  readonly #link: EmulatedLink;
  readonly #messenger: Messenger;
  readonly #peers: Peers;
  readonly #onEnd: (trouble: Trouble | null) => void;
  readonly #beat: ReturnType<typeof setInterval>;
  readonly #requests = new ExampleRequests();
  readonly #emulated = new EmulatedConditions();
  #worker = 0;
  #toldPeerBytes = 0;
  /** The longest body of examples that may come. */
  #exampleBytes = 0;
  /** Of the last step that came to nothing. */
  #failure: Failure | null = null;
  #isOver = false;

  constructor(
    link: Link,
    token: string,
    settings: SessionSettings,
    deps: SessionDeps,
    onEnd: (trouble: Trouble | null) => void,
  ) {
    this.#deps = deps;
    this.#settings = settings;
    this.#onEnd = onEnd;
    this.#side = new WorkerSide(token, settings);
    this.#link = emulate(link, this.#emulated.random, deps.now);
    this.#messenger = new Messenger(this.#link, {
      onMessage: (message) => this.#receive(message),
      onProgress: (direction, done, total) => this.#transferred(direction === 'sent' ? 'up' : 'down', done, total),
      onGarbled: () => this.#end({ code: 'garbled' }),
      onClose: () => this.#end({ code: 'link-lost' }),
    });
    this.#peers = new Peers({
      now: deps.now,
      random: () => this.#emulated.random,
      onMessage: (peer, message, body) => this.#handle({ type: 'peer-message', peer, message, body }),
      onLost: (peer) => this.#handle({ type: 'peer-lost', peer }),
      connect: deps.connectPeers,
    });
    this.#carryOut(this.#side.hello(deps.name, deps.device));
    this.#beat = setInterval(() => this.#handle({ type: 'beat' }), BEAT_MS);
  }

  get token(): string {
    return this.#side.token;
  }

  /** Does what the page asks for. */
  hear(message: ToSession): void {
    switch (message.type) {
      case 'settings':
      case 'leave':
        return this.#handle(message);
      case 'peer':
        return this.#peers.attach(message.peer, portLink(message.port));
      case 'peer-failed':
        return this.#handle({ type: 'peer-lost', peer: message.peer });
      case 'sample':
      case 'signal':
        return this.#messenger.send('control', this.#side.runNumber, message);
      default:
        message satisfies never;
    }
  }

  #handle(event: WorkerEvent): void {
    const { counted } = this.#side;
    const startMs = this.#deps.now();
    const effects = this.#side.handle(event, startMs);
    if (effects.some(isPush)) this.#side.lastPush.encodeMs = this.#deps.now() - startMs;
    this.#carryOut(effects);
    if (counted === this.#side.counted) return;
    const { traffic } = this.#messenger;
    this.#deps.publish({ ...this.#side.counted, phases: this.#side.phases, traffic });
  }

  #transferred(direction: 'up' | 'down', done: number, total: number): void {
    this.#deps.publish({ transfer: done < total ? { direction, done, total } : null });
  }

  #carryOut(effects: readonly WorkerEffect[]): void {
    for (const effect of effects) this.#do(effect);
  }

  #do(effect: WorkerEffect): void {
    switch (effect.type) {
      case 'send':
        return this.#send(effect);
      case 'prepare':
        void this.#prepare(effect.run, effect.experiment);
        return;
      case 'compute':
        void this.#compute(effect);
        return;
      case 'prefetch':
        void this.#prefetch(effect.lease);
        return;
      case 'expect':
        this.#messenger.expectBodyBytes(Math.max(effect.bytes, this.#exampleBytes));
        return this.#peers.expectBodyBytes(effect.peerBytes);
      case 'peers':
        return this.#peers.need(effect.calls, effect.expects);
      case 'peer-send':
        return this.#peers.send(this.#side.runNumber, effect.peer, effect.message, effect.body);
      case 'signal':
        return this.#deps.hearSignal(effect.peer, effect.data);
      case 'stage':
        return this.#deps.publish({ stage: { kind: effect.stage } });
      case 'stepped':
        return this.#deps.onStep(effect);
      case 'end':
        return this.#end(this.#troubleOf(effect.end));
      default:
        effect satisfies never;
    }
  }

  #send({ message, body }: Extract<WorkerEffect, { type: 'send' }>): void {
    const run = this.#side.runNumber;
    if (message.type !== 'push') {
      const kind = message.type === 'pull' ? 'gradients' : body ? 'parameters' : 'control';
      return this.#messenger.send(kind, run, message, body ?? undefined);
    }
    const startMs = this.#deps.now();
    const peerBytes = this.#peers.sentBytes - this.#toldPeerBytes;
    this.#toldPeerBytes += peerBytes;
    this.#messenger.send(body ? 'gradients' : 'control', run, { ...message, peerBytes }, body ?? undefined);
    this.#side.lastPush.sendMs = this.#deps.now() - startMs;
  }

  #receive({ head, body }: Received): void {
    let message: ToWorker;
    try {
      message = readToWorker(head);
    } catch {
      return this.#end({ code: 'garbled' });
    }
    if (message.type === 'welcome') {
      const { worker, name, token } = message;
      this.#worker = worker;
      this.#deps.publish({ identity: { worker, name, token } });
    }
    if (message.type === 'run') this.#meet(message.experiment);
    if (message.type === 'progress') this.#deps.publish({ group: message });
    if (message.type === 'examples' && message.run === this.#side.runNumber)
      this.#requests.settle(message.lease, body, message.problem);
    this.#handle({ type: 'message', message, body });
  }

  /** A new experiment, and the conditions it makes up for this worker. */
  #meet(experiment: Experiment): void {
    this.#deps.publish({ experiment });
    this.#requests.drop('another run began');
    this.#emulated.begin(experiment, this.#worker);
    this.#link.setConditions(this.#emulated.conditions);
    this.#peers.setConditions(this.#emulated.conditions);
  }

  async #prepare(run: number, experiment: Experiment): Promise<void> {
    const { publish, compute } = this.#deps;
    const fetchExamples = ({ id: lease }: Lease) => {
      this.#messenger.send('control', run, { type: 'want', run, lease });
      return this.#requests.wait(lease);
    };
    try {
      const { schema } = resolveExperiment(experiment);
      this.#exampleBytes =
        experiment.data === 'file' ? maxExampleBytes(leaseExamples(experiment), experiment.entries) : 0;
      const backend = await compute.prepare(experiment, (stage) => publish({ stage }), fetchExamples);
      if (this.#isOver) return;
      publish({ backend });
      this.#handle({ type: 'prepared', run, schema, backend });
    } catch (error) {
      this.#giveUp(run, 0, failureOf(error));
    }
  }

  async #prefetch(lease: Lease): Promise<void> {
    const run = this.#side.runNumber;
    try {
      const keys = await this.#deps.compute.prefetch(lease);
      if (keys) this.#handle({ type: 'keys', run, lease: lease.id, keys });
    } catch (error) {
      this.#failure = failureOf(error);
      this.#handle({ type: 'no-keys', run, lease: lease.id, text: this.#failure.detail });
    }
  }

  async #compute({ task, lease, params }: Extract<WorkerEffect, { type: 'compute' }>): Promise<void> {
    const { compute, now } = this.#deps;
    const startedMs = now();
    try {
      const result = await compute.step(params, lease);
      const restMs = await this.#emulated.rest(now() - startedMs, this.#settings.intensity, now);
      this.#emulated.poison(result.gradient);
      this.#handle({ type: 'computed', task, result: { ...result, computeMs: result.computeMs + restMs } });
    } catch (error) {
      this.#failure = failureOf(error);
      // There is no device left to try: the next step would fail as this one did.
      if (this.#failure.code === 'device') return this.#giveUp(this.#side.runNumber, lease.id, this.#failure);
      this.#handle({ type: 'failed', task, text: this.#failure.detail });
    }
  }

  /** Tells the host why, and ends. */
  #giveUp(run: number, lease: number, failure: Failure): void {
    if (this.#isOver) return;
    const text = failure.detail.slice(0, MAX_TROUBLE);
    this.#messenger.send('control', run, { type: 'trouble', run, lease, text });
    this.#end(failure);
  }

  #troubleOf(end: WorkerEnd): Trouble | null {
    switch (end.kind) {
      case 'left':
        return null;
      case 'refused':
        return { code: end.reason };
      case 'device':
        // Too many leases in a row came to nothing.
        return this.#failure ?? { code: 'unexpected', detail: end.detail };
      default:
        return end satisfies never;
    }
  }

  #end(trouble: Trouble | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#beat);
    this.#requests.drop('the link is over');
    this.#messenger.close();
    this.#peers.close();
    this.#onEnd(trouble);
  }
}

const isPush = (effect: WorkerEffect) => effect.type === 'send' && effect.message.type === 'push';

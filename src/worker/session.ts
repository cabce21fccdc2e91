import { type Rng, rng } from '../core/math/rng.ts';
import { leaseExamples } from '../core/server/leases.ts';
import { maxExampleBytes } from '../core/sparse/example-coding.ts';
import type { Received } from '../core/wire/inbox.ts';
import { type Lease, type Phases, readToWorker, type ToWorker } from '../core/wire/protocol.ts';
import type { ResourceSample } from '../core/wire/resources.ts';
import { TallyCounter, type Traffic } from '../core/wire/traffic.ts';
import type { StepResult, WorkerEffect, WorkerEnd, WorkerEvent } from '../core/worker/worker-events.ts';
import { WorkerSide } from '../core/worker/worker-side.ts';
import { type Conditions, conditionsFor, parseEmulation, unhindered } from '../experiment/emulation.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { resolveExperiment } from '../models/plan.ts';
import { type EmulatedLink, emulate } from '../net/link/emulate.ts';
import type { Link } from '../net/link/link.ts';
import { Messenger } from '../net/link/messenger.ts';
import { Peers } from './peers.ts';
import type { Trouble, WorkerStage, WorkerView } from './state.ts';

/** The host drops a worker after a minute of silence. */
const BEAT_MS = 5000;

/** The examples of a lease, from a host whose data nobody else has. */
export type FetchExamples = (lease: Lease) => Promise<Uint8Array>;

/** What computes; the session only decides when. */
export interface Compute {
  /** Gets model and data ready. May be called again with the same or another experiment. `fetchExamples` asks the host. */
  prepare(
    experiment: Experiment,
    onStage: (stage: WorkerStage) => void,
    fetchExamples: FetchExamples,
  ): Promise<{ schema: string; backend: { name: string; why: string } }>;
  /** Prepares the batch of these examples; where parameters have keys, says which ones it touches, rising. */
  prefetch(lease: Lease): Promise<Uint32Array> | undefined;
  /** The gradient on all parameters, or on those of the keys that `prefetch` gave for this lease. */
  step(params: Float32Array, lease: Lease): Promise<StepResult>;
}

export interface SessionDeps {
  readonly compute: Compute;
  readonly name: string;
  readonly device: string;
  now(): number;
  /** Called with the parts of the view that changed. */
  publish(change: Partial<WorkerView>): void;
  /** A step is over; for timelines. */
  onStep(step: { startedMs: number; version: number; phases: Phases }): void;
  /** Links to other workers are needed; `attachPeer` or `peerFailed` follows for each that is called. */
  connectPeers(calls: readonly number[], expects: readonly number[]): void;
  /** Another worker's words on how to connect, through the host. */
  hearSignal(peer: number, data: string): void;
}

export interface SessionSettings {
  intensity: number;
  isPaused: boolean;
  isFinishing: boolean;
}

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
  #worker = 0;
  #conditions: Conditions = unhindered;
  /** Made-up losses and cuts: by the experiment's seed and the worker's number, once they are known. */
  readonly #chance = new Chance();
  #toldPeerBytes = 0;
  readonly #wanted = new Wanted();
  /** The longest body of examples that may come. */
  #exampleBytes = 0;
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
    const random = this.#chance;
    this.#link = emulate(link, random, deps.now);
    this.#messenger = new Messenger(this.#link, {
      onMessage: (message) => this.#receive(message),
      onProgress: (direction, done, total) => this.#transferred(direction === 'sent' ? 'up' : 'down', done, total),
      onGarbled: () => this.#end({ code: 'garbled' }),
      onClose: () => this.#end({ code: 'closed' }),
    });
    this.#peers = new Peers({
      now: deps.now,
      random,
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

  get traffic(): Traffic {
    return this.#messenger.traffic;
  }

  /** The volunteer paused, went on, or asked to finish. */
  settingsChanged(): void {
    const { isPaused, isFinishing } = this.#settings;
    this.#handle({ type: 'settings', isPaused, isFinishing });
  }

  /** Says goodbye and ends; a step under way is lost. */
  leave(): void {
    this.#handle({ type: 'leave' });
  }

  /** The link to another worker is there. */
  attachPeer(peer: number, link: Link): void {
    if (this.#isOver) link.close();
    else this.#peers.attach(peer, link);
  }

  peerFailed(peer: number): void {
    this.#handle({ type: 'peer-lost', peer });
  }

  /** Tells the host what this machine is doing. */
  sendSample(sample: ResourceSample): void {
    if (!this.#isOver) this.#messenger.send('control', this.#side.runNumber, { type: 'sample', sample });
  }

  /** Tells another worker how to connect, through the host. */
  sendSignal(peer: number, data: string): void {
    if (!this.#isOver) this.#messenger.send('control', this.#side.runNumber, { type: 'signal', peer, data });
  }

  #handle(event: WorkerEvent): void {
    const { counted } = this.#side;
    const startMs = this.#deps.now();
    const effects = this.#side.handle(event, startMs);
    if (effects.some(isPush)) this.#side.lastPush.encodeMs = this.#deps.now() - startMs;
    this.#carryOut(effects);
    if (counted === this.#side.counted) return;
    this.#deps.publish({ ...this.#side.counted, phases: this.#side.phases, traffic: this.traffic });
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
        return this.#end(troubleOf(effect.end));
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
      this.#wanted.settle(message.lease, body, message.problem);
    this.#handle({ type: 'message', message, body });
  }

  /** A new experiment, and the conditions it makes up for this worker. */
  #meet(experiment: Experiment): void {
    this.#deps.publish({ experiment });
    try {
      this.#conditions = conditionsFor(parseEmulation(experiment.emulate), this.#worker);
    } catch {
      this.#conditions = unhindered;
    }
    this.#wanted.drop('another run began');
    this.#chance.restart(experiment.seed, this.#worker);
    this.#link.setConditions(this.#conditions);
    this.#peers.setConditions(this.#conditions);
  }

  async #prepare(run: number, experiment: Experiment): Promise<void> {
    const { publish, compute } = this.#deps;
    try {
      const { schema } = resolveExperiment(experiment);
      this.#exampleBytes =
        experiment.data === 'file' ? maxExampleBytes(leaseExamples(experiment), experiment.entries) : 0;
      const fetchExamples = (lease: Lease) => {
        this.#messenger.send('control', run, { type: 'want', run, lease: lease.id });
        return this.#wanted.wait(lease.id);
      };
      const { backend } = await compute.prepare(experiment, (stage) => publish({ stage }), fetchExamples);
      if (this.#isOver) return;
      publish({ backend });
      this.#handle({ type: 'prepared', run, schema, backend });
    } catch (error) {
      if (this.#isOver) return;
      const detail = words(error);
      this.#messenger.send('control', run, { type: 'trouble', run, lease: 0, text: detail.slice(0, 300) });
      this.#end(error instanceof RangeError ? { code: 'unknown-experiment', detail } : { code: 'device', detail });
    }
  }

  async #prefetch(lease: Lease): Promise<void> {
    const run = this.#side.runNumber;
    try {
      const keys = await this.#deps.compute.prefetch(lease);
      if (keys) this.#handle({ type: 'keys', run, lease: lease.id, keys });
    } catch (error) {
      this.#handle({ type: 'no-keys', run, lease: lease.id, text: words(error) });
    }
  }

  async #compute({ task, lease, params }: Extract<WorkerEffect, { type: 'compute' }>): Promise<void> {
    const { compute, now } = this.#deps;
    const startedMs = now();
    try {
      const result = await compute.step(params, lease);
      const restMs = await this.#rest(now() - startedMs);
      poison(result.gradient, this.#conditions.poison);
      this.#handle({ type: 'computed', task, result: { ...result, computeMs: result.computeMs + restMs } });
    } catch (error) {
      this.#handle({ type: 'failed', task, text: words(error) });
    }
  }

  /** Below full intensity the device rests in proportion to its work; a made-up slow one takes longer for it. */
  async #rest(workedMs: number): Promise<number> {
    const restMs = workedMs * (this.#conditions.slow / this.#settings.intensity - 1);
    if (restMs <= 0.5) return 0;
    const startMs = this.#deps.now();
    await new Promise((resolve) => setTimeout(resolve, restMs));
    return this.#deps.now() - startMs;
  }

  #end(trouble: Trouble | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#beat);
    this.#wanted.drop('the link is over');
    this.#messenger.close();
    this.#peers.close();
    this.#onEnd(trouble);
  }
}

/** Examples that were asked for, by lease. */
class Wanted {
  readonly #waiting = new Map<number, { resolve(bytes: Uint8Array): void; reject(error: Error): void }>();

  wait(lease: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => this.#waiting.set(lease, { resolve, reject }));
  }

  settle(lease: number, bytes: Uint8Array, problem: string | null): void {
    const waiting = this.#waiting.get(lease);
    this.#waiting.delete(lease);
    if (problem === null) waiting?.resolve(bytes);
    else waiting?.reject(new Error(problem));
  }

  drop(why: string): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(`the examples did not come: ${why}`));
    this.#waiting.clear();
  }
}

const isPush = (effect: WorkerEffect) => effect.type === 'send' && effect.message.type === 'push';

const words = (error: unknown) => (error instanceof Error ? error.message : String(error));

function troubleOf(end: WorkerEnd): Trouble | null {
  switch (end.kind) {
    case 'left':
      return null;
    case 'refused':
      return { code: end.reason };
    case 'device':
      return { code: 'device', detail: end.detail };
    default:
      return end satisfies never;
  }
}

/** A stream of random numbers that can begin again, for those who keep hold of it. */
class Chance implements Rng {
  #stream = rng('emulate');

  restart(seed: number, worker: number): void {
    this.#stream = rng(seed, 'emulate', worker);
  }

  uint32 = () => this.#stream.uint32();
  uniform = () => this.#stream.uniform();
  below = (bound: number) => this.#stream.below(bound);
  normal = () => this.#stream.normal();
}

/** Makes a saboteur of a worker, where the experiment asks for one. */
function poison(gradient: Float32Array, factor: number): void {
  if (factor !== 1) for (let i = 0; i < gradient.length; i++) gradient[i] = (gradient[i] as number) * factor;
}

/** Nothing sent, nothing received. */
export const noTraffic = (): Traffic => ({ sent: new TallyCounter().counts, received: new TallyCounter().counts });

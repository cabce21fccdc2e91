import { expect } from 'vitest';
import { defaultExperiment, type Experiment } from '../experiment/experiment.ts';
import { type Rng, rng } from './math/rng.ts';
import type { Schema } from './math/schema.ts';
import { type Effect, ParameterServer, type ServerEvent } from './server/server.ts';
import { testSchema } from './server/server-for-tests.ts';
import {
  type Lease,
  readToHost,
  readToPeer,
  readToWorker,
  type ToHost,
  type ToPeer,
  type ToWorker,
} from './wire/protocol.ts';
import type { WorkerEffect, WorkerEvent } from './worker/worker-events.ts';
import { WorkerSide } from './worker/worker-side.ts';

export const TRAIN_COUNT = 200;
export const BATCH = 10;
export const EPOCHS = 3;

type Up = { readonly message: ToHost; readonly body: Uint8Array };
type Down = { readonly message: ToWorker; readonly body: Uint8Array };
type Across = { readonly from: number; readonly message: ToPeer; readonly body: Uint8Array };

const NO_BODY = new Uint8Array(0);

/** What a worker of these tests finds in its examples: whole numbers, so that sums are exact in any order. */
const gradientOf = ({ from }: Lease) => Float32Array.of((from / BATCH) % 7, 1, (from % 3) - 1);

/** What the examples of a lease touch, where parameters have keys: from one to all that they may. */
export function keysOf({ from, count }: Lease, { size, keysPerExample }: Schema): Uint32Array {
  const random = rng('keys', from);
  const many = 1 + random.below(Math.min(size, count * (keysPerExample ?? 1)));
  const all = Uint32Array.from({ length: size }, (_, key) => key);
  for (let i = 0; i < many; i++) {
    const other = i + random.below(size - i);
    [all[i], all[other]] = [all[other] as number, all[i] as number];
  }
  return all.slice(0, many).sort();
}

/** Whole numbers for such keys, never all zero. */
export const keyedGradientOf = ({ from }: Lease, keys: Uint32Array): Float32Array =>
  Float32Array.from(keys, (key) => 1 + ((key + from / BATCH) % 3));

/** A real worker's side at the far end of a link on which messages take their time. A liar does not keep to the protocol. */
class Volunteer {
  readonly link: number;
  readonly isLiar: boolean;
  readonly side: WorkerSide;
  readonly up: Up[] = [];
  readonly down: Down[] = [];
  /** From other workers, whoever is first. */
  readonly across: Across[] = [];
  readonly sent: Across[] = [];
  readonly events: WorkerEvent[] = [];
  /** What a liar says again, right after it is ready: a push of its last link. */
  readonly replays: Up[] = [];
  lastPush: Up | null = null;
  readonly sentTo = new Map<number, Across[]>();
  readonly #schema: Schema;
  readonly #keys = new Map<number, Uint32Array>();
  #prefetches = 0;
  #computations = 0;
  #shown = '';
  worker = 0;
  isPaused = false;
  isFinishing = false;
  isGone = false;
  unanswered = 0;
  #lastSeq = 0;

  constructor(link: number, token: string, isLiar: boolean, schema: Schema) {
    this.link = link;
    this.#schema = schema;
    this.isLiar = isLiar;
    this.side = new WorkerSide(token, { isPaused: false, isFinishing: false });
    this.carryOut(this.side.hello('', 'test'));
  }

  happen(event: WorkerEvent, nowMs: number): void {
    this.carryOut(this.side.handle(event, nowMs));
    if (this.isPaused && !this.isGone && this.worker > 0 && this.#shown === 'waiting')
      throw new Error('a volunteer who paused is told to wait for the host');
  }

  hear({ message, body }: Down, nowMs: number): void {
    readToWorker(message);
    if (message.type === 'welcome') this.worker = message.worker;
    if (message.type === 'answer' && !this.isLiar) {
      expect(message.seq, 'pushes are answered in order').toBe(this.#lastSeq);
      if (message.verdict.kind === 'rejected') expect.unreachable(`rejected: ${message.verdict.reason}`);
      this.unanswered -= 1;
    }
    if (message.type === 'bye' && !this.isLiar) expect.unreachable(`told to go: ${message.reason}`);
    this.happen({ type: 'message', message, body }, nowMs);
  }

  setPaused(isPaused: boolean, nowMs: number): void {
    this.isPaused = isPaused;
    this.happen({ type: 'settings', isPaused, isFinishing: this.isFinishing }, nowMs);
  }

  /** Hands in what is under way, then leaves. */
  finish(nowMs: number): void {
    this.isFinishing = true;
    this.happen({ type: 'settings', isPaused: this.isPaused, isFinishing: true }, nowMs);
  }

  carryOut(effects: readonly WorkerEffect[]): void {
    for (const effect of effects) {
      switch (effect.type) {
        case 'send':
          if (effect.message.type === 'push') {
            this.#lastSeq = effect.message.seq;
            this.unanswered += 1;
          }
          this.up.push({ message: effect.message, body: effect.body ?? NO_BODY });
          if (effect.message.type === 'push') this.lastPush = this.up.at(-1) ?? null;
          if (effect.message.type === 'ready') this.up.push(...this.replays);
          break;
        case 'prepare': {
          const backend = { name: 'test', why: '' };
          this.events.push({ type: 'prepared', run: effect.run, schema: this.#schema, backend });
          break;
        }
        case 'compute': {
          this.#computations += 1;
          if (this.#computations % 29 === 0) {
            this.events.push({ type: 'failed', task: effect.task, text: 'the device is busy' });
            break;
          }
          const keys = this.#keys.get(effect.lease.id);
          const gradient = keys ? keyedGradientOf(effect.lease, keys) : gradientOf(effect.lease);
          if (keys) expect(effect.params).toHaveLength(keys.length);
          const result = { gradient, loss: 1, correct: null, decodeMs: 0, computeMs: 0, readMs: 0 };
          this.events.push({ type: 'computed', task: effect.task, result });
          break;
        }
        case 'peer-send': {
          readToPeer(effect.message);
          const queue = this.sentTo.get(effect.peer) ?? [];
          queue.push({ from: this.worker, message: effect.message, body: effect.body });
          this.sentTo.set(effect.peer, queue);
          break;
        }
        case 'end':
          if (this.isFinishing && !this.isLiar && this.unanswered > 0)
            throw new Error('a worker left before its last push was answered');
          this.isGone = true;
          break;
        case 'prefetch':
          this.#prefetch(effect.lease);
          break;
        case 'stage':
          this.#shown = effect.stage;
          break;
        case 'expect':
        case 'peers':
        case 'signal':
        case 'stepped':
          break;
        default:
          effect satisfies never;
      }
    }
  }

  /** Finds the lease's keys, or once in a while does not. */
  #prefetch(lease: Lease): void {
    if (this.#schema.keysPerExample === null) return;
    const { runNumber: run } = this.side;
    this.#prefetches += 1;
    if (this.#prefetches % 23 === 0) {
      this.events.push({ type: 'no-keys', run, lease: lease.id, text: 'unreadable' });
      return;
    }
    const keys = keysOf(lease, this.#schema);
    this.#keys.set(lease.id, keys);
    this.events.push({ type: 'keys', run, lease: lease.id, keys });
  }
}

/** A server among volunteers who come, go, pause, are slow and sometimes lie, all by the same dice. */
export class Crowd {
  readonly server = new ParameterServer(rng(1), 0);
  readonly volunteers = new Map<number, Volunteer>();
  readonly #random: Rng;
  readonly #hasLiars: boolean;
  readonly #schema: Schema;
  readonly #evaluations: { readonly run: number; readonly version: number }[] = [];
  readonly #goneTokens: string[] = [];
  readonly #answered = new Set<string>();
  /** Of the last pushes that came in. */
  #leases: number[] = [];
  #nowMs = 1000;
  #links = 0;
  #version = 0;

  constructor(
    seed: number,
    experiment: Partial<Experiment>,
    { hasLiars = false, schema = testSchema, maxWorkers = undefined as number | undefined } = {},
  ) {
    this.#random = rng(seed);
    this.#schema = schema;
    this.#hasLiars = hasLiars;
    const whole = { ...defaultExperiment, batch: BATCH, evalEvery: 7, epochs: EPOCHS, workers: 2, ...experiment };
    this.#do({ type: 'start', plan: { id: 'churn', experiment: whole, schema, trainCount: TRAIN_COUNT, maxWorkers } });
  }

  get phase() {
    return this.server.run?.phase;
  }

  /** One thing happens. */
  step(): void {
    const dice = this.#random.below(100);
    const someone = this.#someone();
    if (dice < 2 && this.volunteers.size < 6) return this.arrive();
    if (dice < 3 && someone) return this.#vanish(someone);
    if (dice < 6 && someone) return someone.setPaused(!someone.isPaused, this.#nowMs);
    if (dice < 8) return this.#do({ type: this.#random.below(2) ? 'pause' : 'resume' });
    if (dice < 11) return this.#pass(this.#random.below(2000));
    if (dice < 12 && someone) return someone.finish(this.#nowMs);
    if (dice < 18) return this.#evaluate();
    if (dice < 22 && someone?.isLiar) return this.#lie(someone);
    if (someone) this.#move(someone);
  }

  arrive(isLiar = this.#hasLiars && this.#random.below(3) === 0): void {
    this.#links += 1;
    const token = this.#random.below(2) ? (this.#goneTokens.pop() ?? '') : '';
    this.volunteers.set(this.#links, new Volunteer(this.#links, token, isLiar, this.#schema));
  }

  finish(): void {
    this.#do({ type: 'finish' });
  }

  /** Honest ones stay, nobody pauses, and everything that is on its way arrives. */
  settle(): void {
    for (const volunteer of [...this.volunteers.values()]) if (volunteer.isLiar) this.#vanish(volunteer);
    while ([...this.volunteers.values()].filter(({ isFinishing }) => !isFinishing).length < 2) this.arrive(false);
    for (const volunteer of this.volunteers.values()) volunteer.setPaused(false, this.#nowMs);
    this.#do({ type: 'resume' });
    for (let turn = 0; turn < 3000 && this.phase !== 'finished'; turn++) {
      for (const volunteer of this.volunteers.values()) this.#move(volunteer);
      this.#evaluate();
      this.#pass(5);
    }
    for (let turn = 0; turn < 200; turn++) for (const volunteer of this.volunteers.values()) this.#move(volunteer);
  }

  /** Parameters and optimizer state of the workers that have the last version, as bytes in words. */
  keptStates(): string[] {
    const run = this.server.run?.run ?? 0;
    return [...this.volunteers.values()].flatMap(({ side }) =>
      side
        .handle({ type: 'message', message: { type: 'fetch', run }, body: NO_BODY }, this.#nowMs)
        .flatMap((effect) =>
          effect.type === 'send' &&
          effect.message.type === 'state' &&
          effect.message.version === this.server.run?.version
            ? [[...(effect.body ?? [])].join()]
            : [],
        ),
    );
  }

  #someone(): Volunteer | undefined {
    const all = [...this.volunteers.values()];
    return all[this.#random.below(Math.max(1, all.length))];
  }

  /** A message arrives at either end, or something is done at the worker. */
  #move(volunteer: Volunteer): void {
    if (volunteer.isGone && volunteer.up.length === 0) return this.#vanish(volunteer);
    const first = this.#random.below(4);
    for (let turn = first; turn < first + 4; turn++) {
      if (turn % 4 === 0) {
        const event = volunteer.events.shift();
        if (event) return volunteer.happen(event, this.#nowMs);
      }
      if (turn % 4 === 1) {
        const down = volunteer.down.shift();
        if (down) return volunteer.hear(down, this.#nowMs);
      }
      if (turn % 4 === 2) {
        const up = volunteer.up.shift();
        if (up) return this.#say(volunteer, up);
      }
      if (turn % 4 === 3 && this.#passAcross(volunteer)) return;
    }
  }

  #say(volunteer: Volunteer, { message, body }: Up): void {
    if (!volunteer.isLiar) readToHost(message);
    if (message.type === 'push') this.#leases = [message.lease, ...this.#leases].slice(0, 3);
    this.#do({ type: 'message', link: volunteer.link, isLocal: false, message, body });
  }

  /** A message from another worker arrives, or it turns out that the other is gone. */
  #passAcross(volunteer: Volunteer): boolean {
    for (const [peer, queue] of volunteer.sentTo) {
      const other = [...this.volunteers.values()].find(({ worker }) => worker === peer);
      if (!other) {
        volunteer.sentTo.delete(peer);
        volunteer.happen({ type: 'peer-lost', peer }, this.#nowMs);
        return true;
      }
      const across = queue.shift();
      if (!across) continue;
      const { from, message, body } = across;
      other.happen({ type: 'peer-message', peer: from, message, body }, this.#nowMs);
      return true;
    }
    return false;
  }

  /** Says again what it said, says things in another order, or changes what it says. */
  #lie(liar: Volunteer): void {
    const dice = this.#random.below(6);
    const [first, second] = liar.up;
    if (!first) return liar.unanswered > 0 ? this.#returnWithLastPush(liar) : undefined;
    if (dice === 0) liar.up.unshift(first);
    if (dice === 1 && second) liar.up.splice(0, 2, second, first);
    if (dice === 2) liar.up.shift();
    if (dice === 3) liar.up[0] = { ...first, body: new Uint8Array(first.body.map(() => this.#random.below(256))) };
    if (dice === 4) liar.up[0] = { ...first, message: this.#twisted(first.message) };
    // A lease that may be another's and delivered already.
    const [lease = 0] = this.#leases.slice(this.#random.below(3));
    if (dice === 5 && first.message.type === 'push') liar.up[0] = { ...first, message: { ...first.message, lease } };
  }

  /** Leaves, comes back at once, and hands in again what it had. */
  #returnWithLastPush(liar: Volunteer): void {
    this.#vanish(liar);
    this.#goneTokens.pop();
    this.#links += 1;
    const returned = new Volunteer(this.#links, liar.side.token, true, this.#schema);
    this.volunteers.set(this.#links, returned);
    const message = liar.lastPush?.message;
    if (message?.type === 'push')
      returned.replays.push({ message: { ...message, seq: 1 }, body: liar.lastPush?.body ?? NO_BODY });
  }

  #twisted(message: ToHost): ToHost {
    const entries = Object.entries(message).map(([key, value]) => {
      const isTwisted = typeof value === 'number' && this.#random.below(3) === 0;
      return [key, isTwisted ? this.#random.below(40) : value];
    });
    return Object.fromEntries(entries) as ToHost;
  }

  #vanish(volunteer: Volunteer): void {
    this.volunteers.delete(volunteer.link);
    this.#goneTokens.push(volunteer.side.token);
    const { worker } = volunteer;
    this.#do({ type: 'closed', link: volunteer.link });
    for (const other of this.volunteers.values()) {
      other.sentTo.delete(worker);
      other.events.push({ type: 'peer-lost', peer: worker });
    }
  }

  #evaluate(): void {
    const asked = this.#evaluations.shift();
    if (asked) this.#do({ type: 'evaluated', ...asked, loss: 1 / (1 + asked.version), accuracy: 0.5, precisions: [] });
  }

  #pass(ms: number): void {
    this.#nowMs += ms;
    for (const volunteer of this.volunteers.values()) {
      if (volunteer.up.length === 0) volunteer.happen({ type: 'beat' }, this.#nowMs);
    }
    this.#do({ type: 'tick' });
  }

  #do(event: ServerEvent): void {
    for (const effect of this.server.handle(event, this.#nowMs)) this.#carryOut(effect);
    const { run } = this.server;
    if (!run) return;
    // `expect` is slow, and this is said hundreds of thousands of times.
    if (run.latestVersion < this.#version) throw new Error('a version went back');
    this.#version = run.latestVersion;
    for (const worker of this.server.members.keys()) {
      if (run.leases.heldBy(worker).length > 3) throw new Error('a worker holds more leases than it can use');
    }
    if ((run.keys?.size ?? 0) > 3 * this.server.members.size) throw new Error('keys are remembered that nobody needs');
    if (run.leases.counted > run.leases.limit) throw new Error('an example was counted twice');
  }

  #carryOut(effect: Effect): void {
    if (effect.type === 'evaluate') this.#evaluations.push({ run: effect.run, version: effect.version });
    if (effect.type === 'close') {
      const volunteer = this.volunteers.get(effect.link);
      if (volunteer?.isLiar) this.volunteers.delete(effect.link);
    }
    if (effect.type !== 'send') return;
    const { message, link } = effect;
    if (message.type === 'answer' && message.verdict.kind === 'applied') {
      const key = `${link} ${message.seq}`;
      expect(this.#answered.has(key), 'a push is applied once').toBe(false);
      this.#answered.add(key);
    }
    const body = effect.withParams
      ? (this.server.run?.outgoing('due' in message ? message.due : 0).slice() ?? NO_BODY)
      : NO_BODY;
    this.volunteers.get(link)?.down.push({ message, body });
  }
}

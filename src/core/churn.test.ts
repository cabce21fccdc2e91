import { describe, expect, it } from 'vitest';
import { defaultExperiment, type Experiment } from './config.ts';
import { noPhases } from './member.ts';
import { type Lease, PROTOCOL, readToHost, readToWorker, type ToHost, type ToWorker } from './protocol.ts';
import { type Rng, rng } from './rng.ts';
import { type Effect, ParameterServer, type ServerEvent } from './server.ts';
import { testSchema } from './server-for-tests.ts';

const TRAIN_COUNT = 200;
const BATCH = 10;
const EPOCHS = 3;

type Up = { readonly message: ToHost; readonly body: Uint8Array };
type Down = { readonly message: ToWorker; readonly withParams: boolean };

/** A worker that keeps to the protocol, at the far end of a link on which messages take their time. */
class Volunteer {
  readonly link: number;
  readonly up: Up[] = [];
  readonly down: Down[] = [];
  token: string;
  isPaused = false;
  #leases: Lease[] = [];
  #run = 0;
  #pauses = 0;
  #seq = 0;
  #unanswered = 0;
  #task: { readonly run: number; readonly version: number; readonly lease: Lease } | null = null;

  constructor(link: number, token: string) {
    this.link = link;
    this.token = token;
    this.#say({ type: 'hello', protocol: PROTOCOL, token, name: '', device: 'test' });
  }

  get isComputing(): boolean {
    return this.#task !== null;
  }

  get isAnswered(): boolean {
    return this.#unanswered === 0;
  }

  hear({ message, withParams }: Down): void {
    readToWorker(message);
    switch (message.type) {
      case 'welcome':
        this.token = message.token;
        return;
      case 'run':
        this.#leases = [];
        this.#run = message.run;
        this.#say({ type: 'ready', run: message.run, schema: testSchema.hash, backend: 'test', why: '' });
        if (!this.isPaused) return;
        this.#pauses += 1;
        this.#say({ type: 'pause' });
        return;
      case 'answer':
        expect(message.seq, 'pushes are answered in order').toBe(this.#seq);
        this.#unanswered -= 1;
        if (message.verdict.kind === 'rejected') expect.unreachable(`rejected: ${message.verdict.reason}`);
        return this.#take(message, withParams);
      case 'work':
        return this.#take(message, withParams);
      case 'progress':
        return;
      case 'bye':
        return expect.unreachable(`told to go: ${message.reason}`);
      default:
        message satisfies never;
    }
  }

  /** The step under way is done. */
  push(): void {
    const task = this.#task;
    if (!task) return;
    this.#task = null;
    this.#seq += 1;
    this.#unanswered += 1;
    const { run, version, lease } = task;
    const head = { run, version, seq: this.#seq, lease: lease.id, examples: lease.count, loss: 1, phases: noPhases };
    this.#say({ type: 'push', ...head }, new Uint8Array(Float32Array.of(1, 2, 3).buffer));
  }

  beat(): void {
    if (this.up.length === 0) this.#say({ type: 'beat' });
  }

  setPaused(isPaused: boolean): void {
    // A pause is told as soon as no step is under way.
    if (this.#task || isPaused === this.isPaused) return;
    this.isPaused = isPaused;
    if (isPaused) this.#leases = [];
    if (isPaused) this.#pauses += 1;
    this.#say({ type: isPaused ? 'pause' : 'resume' });
  }

  #take({ run, version, leases, pauses }: Extract<ToWorker, { type: 'work' | 'answer' }>, withParams: boolean): void {
    if (run !== this.#run) return;
    if (this.isPaused || pauses !== this.#pauses) return;
    this.#leases.push(...leases);
    if (!withParams) return;
    const lease = this.#leases.shift();
    expect(this.#task, 'parameters come to those who wait').toBeNull();
    if (lease) this.#task = { run, version, lease };
  }

  #say(message: ToHost, body = new Uint8Array(0)): void {
    this.up.push({ message, body });
  }
}

/** A server among volunteers who come, go, pause and are slow, all by the same dice. */
class Crowd {
  readonly server = new ParameterServer(rng(1), 0);
  readonly volunteers = new Map<number, Volunteer>();
  readonly #random: Rng;
  readonly #evaluations: { readonly run: number; readonly version: number }[] = [];
  readonly #goneTokens: string[] = [];
  #nowMs = 1000;
  #links = 0;

  constructor(seed: number, experiment: Partial<Experiment>) {
    this.#random = rng(seed);
    const whole = { ...defaultExperiment, batch: BATCH, evalEvery: 7, epochs: EPOCHS, ...experiment };
    this.#do({ type: 'start', plan: { id: 'churn', experiment: whole, schema: testSchema, trainCount: TRAIN_COUNT } });
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
    if (dice < 6 && someone) return someone.setPaused(!someone.isPaused);
    if (dice < 8) return this.#do({ type: this.#random.below(2) ? 'pause' : 'resume' });
    if (dice < 12) return this.#pass(this.#random.below(2000));
    if (dice < 18) return this.#evaluate();
    if (someone) this.#move(someone);
  }

  arrive(): void {
    this.#links += 1;
    const token = this.#random.below(2) ? (this.#goneTokens.pop() ?? '') : '';
    this.volunteers.set(this.#links, new Volunteer(this.#links, token));
  }

  finish(): void {
    this.#do({ type: 'finish' });
  }

  /** Everybody stays, nobody pauses, and everything that is on its way arrives. */
  settle(): void {
    for (const volunteer of this.volunteers.values()) volunteer.setPaused(false);
    this.#do({ type: 'resume' });
    for (let turn = 0; turn < 5000 && this.phase !== 'finished'; turn++) {
      for (const volunteer of this.volunteers.values()) {
        this.#move(volunteer);
        volunteer.setPaused(false);
      }
      this.#evaluate();
      this.#pass(5);
    }
    for (const volunteer of this.volunteers.values()) {
      while (volunteer.up.length + volunteer.down.length > 0 || volunteer.isComputing) this.#move(volunteer);
    }
  }

  #someone(): Volunteer | undefined {
    const all = [...this.volunteers.values()];
    return all[this.#random.below(Math.max(1, all.length))];
  }

  /** A message arrives at either end, or a step is done. */
  #move(volunteer: Volunteer): void {
    const first = this.#random.below(3);
    for (const what of [first, first + 1, first + 2]) {
      if (what % 3 === 0 && volunteer.isComputing) return volunteer.push();
      if (what % 3 === 1) {
        const down = volunteer.down.shift();
        if (down) return volunteer.hear(down);
      }
      if (what % 3 === 2) {
        const up = volunteer.up.shift();
        if (up) readToHost(up.message);
        if (up) return this.#do({ type: 'message', link: volunteer.link, isLocal: false, ...up });
      }
    }
  }

  #vanish(volunteer: Volunteer): void {
    this.volunteers.delete(volunteer.link);
    this.#goneTokens.push(volunteer.token);
    this.#do({ type: 'closed', link: volunteer.link });
  }

  #evaluate(): void {
    const asked = this.#evaluations.shift();
    if (asked) this.#do({ type: 'evaluated', ...asked, loss: 1 / (1 + asked.version), accuracy: 0.5, precisions: [] });
  }

  #pass(ms: number): void {
    this.#nowMs += ms;
    for (const volunteer of this.volunteers.values()) volunteer.beat();
    this.#do({ type: 'tick' });
  }

  #do(event: ServerEvent): void {
    for (const effect of this.server.handle(event, this.#nowMs)) this.#carryOut(effect);
  }

  #carryOut(effect: Effect): void {
    if (effect.type === 'evaluate') this.#evaluations.push({ run: effect.run, version: effect.version });
    if (effect.type === 'send') this.volunteers.get(effect.link)?.down.push(effect);
  }
}

const strategies = [{ strategy: 'sync' }, { strategy: 'sync', backup: 1 }, { strategy: 'async' }] as const;
const seeds = Array.from({ length: 60 }, (_, seed) => seed);

/** Fifteen hundred things happen, then whatever is on its way arrives. */
function live(seed: number, experiment: Partial<Experiment>, endsBy: (crowd: Crowd) => void = () => {}): Crowd {
  const crowd = new Crowd(seed, { workers: 2, ...experiment });
  for (let turn = 0; turn < 1500; turn++) crowd.step();
  while (crowd.volunteers.size < 2) crowd.arrive();
  endsBy(crowd);
  crowd.settle();
  return crowd;
}

const isEveryoneAnswered = ({ volunteers }: Crowd) => [...volunteers.values()].every(({ isAnswered }) => isAnswered);

describe.each(strategies)('whatever its workers do, $strategy with $backup backup workers', (experiment) => {
  it.each(seeds)('finishes its epochs with every example counted once, seed %i', (seed) => {
    const crowd = live(seed, experiment);
    expect(crowd.phase).toBe('finished');
    expect(crowd.server.run?.leases.counted).toBe(EPOCHS * TRAIN_COUNT);
    expect(crowd.server.run?.counters.applied).toBe((EPOCHS * TRAIN_COUNT) / BATCH);
    expect(isEveryoneAnswered(crowd)).toBe(true);
  });

  it.each(seeds)('ends by hand with an answer to every push, seed %i', (seed) => {
    const crowd = live(seed, { ...experiment, epochs: null }, (going) => going.finish());
    expect(crowd.phase).toBe('finished');
    expect(crowd.server.run?.test.points.at(-1)?.step).toBe(crowd.server.run?.version);
    expect(isEveryoneAnswered(crowd)).toBe(true);
  });

  it.each(seeds)('ends at its test loss with an answer to every push, seed %i', (seed) => {
    const crowd = live(seed, { ...experiment, epochs: null, untilLoss: 1 / 30 });
    expect(crowd.phase).toBe('finished');
    expect(crowd.server.run?.stopReason).toBe('loss');
    expect(isEveryoneAnswered(crowd)).toBe(true);
  });
});

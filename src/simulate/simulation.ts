import { type Rng, rng } from '../core/math/rng.ts';
import { type Effect, ParameterServer, type ServerEvent } from '../core/server/server.ts';
import type { ToHost, ToPeer } from '../core/wire/protocol.ts';
import type { WorkerEffect, WorkerEvent } from '../core/worker/worker-events.ts';
import { EventQueue } from './event-queue.ts';
import { Pipe } from './pipe.ts';
import { type Problem, problemOf } from './problem.ts';
import type { SimulatedRun } from './result.ts';
import { type Comparable, experimentOf, type Scenario } from './scenario.ts';
import { drawMachine, type Machine, type PeerLink, SimWorker } from './sim-worker.ts';
import { Wire } from './wire.ts';

/** As the host's thread does. */
const TICK_MS = 250;
/** Workers beat every five seconds; here as seldom as the host's patience of a minute allows, and counted as the six they stand for. */
const BEAT_MS = 30_000;
const BEATS_AT_ONCE = 6;
/** Loading the program and the data. */
const PREPARE_MS = 3000;
/** From one who leaves to the one who comes instead, on average. */
const REPLACE_MS = 5000;
/** The chance that it is the same one, come back. */
const RETURNS = 0.5;
/** Round trips until two workers are connected: an offer and an answer through the host, then the handshake. */
const CONNECT_TRIPS = 3;
const NOTHING = new Uint8Array(0);
const nothingSpent = { presentMs: 0, computeMs: 0, waitMs: 0, transferMs: 0 };

/**
 * One run in virtual time: the real parameter server and the real worker side of every worker, with made-up machines and
 * links between them, and a real small model. A function of scenario and strategy: the same seed gives the same to the bit.
 */
export class Simulation {
  readonly #scenario: Scenario;
  readonly #strategy: Comparable;
  readonly #problem: Problem;
  readonly #wire: Wire;
  readonly #queue = new EventQueue();
  readonly #server: ParameterServer;
  readonly #hostUp: Pipe;
  readonly #hostDown: Pipe;
  readonly #random: Rng;
  readonly #links = new Map<number, SimWorker>();
  readonly #byNumber = new Map<number, SimWorker>();
  readonly #spent = { ...nothingSpent };
  #present: SimWorker[] = [];
  /** The server does one thing after another. */
  #serverFreeMs = 0;
  #serverBusyMs = 0;
  #startedMs: number | null = null;
  #endedMs: number | null = null;
  #linkCount = 0;
  #machineCount = 0;
  #joins = 0;
  #leaves = 0;
  #events = 0;
  #stalenessSum = 0;
  #peerBytes = 0;
  readonly #limitMs: number;

  constructor(scenario: Scenario, strategy: Comparable) {
    this.#scenario = scenario;
    this.#strategy = strategy;
    this.#problem = problemOf(scenario.seed);
    const { schema, trainCount } = this.#problem;
    const experiment = experimentOf(scenario, strategy);
    this.#wire = new Wire(experiment, schema.size, scenario.parameters);
    this.#server = new ParameterServer(rng(scenario.seed, 'server'), 0);
    this.#hostUp = new Pipe(scenario.hostBandwidth);
    this.#hostDown = new Pipe(scenario.hostBandwidth);
    this.#random = rng(scenario.seed, 'churn');
    // Waiting for workers does not count as training; a run that only waits must end all the same.
    this.#limitMs = (2 * scenario.minutes + 10) * 60_000;
    this.#tell({ type: 'start', plan: { id: 'simulated', experiment, schema, trainCount } }, 0, 0);
    for (let i = 0; i < scenario.workers; i++) this.#join(this.#newMachine(), '');
    this.#tick();
  }

  /** How much of the time there is has passed, from 0 to 1. */
  get progress(): number {
    const elapsedMs = this.#server.run?.elapsedMs(this.#queue.nowMs) ?? 0;
    return Math.min(1, elapsedMs / (this.#scenario.minutes * 60_000));
  }

  /** Lets the next so many things happen; false once the run is over. */
  advance(events: number): boolean {
    for (let i = 0; i < events; i++) {
      const phase = this.#server.run?.phase;
      if (phase === 'finished' || phase === 'failed' || this.#queue.nowMs > this.#limitMs) return false;
      const action = this.#queue.next();
      if (!action) return false;
      this.#events += 1;
      action();
    }
    return true;
  }

  /** What came of it so far. */
  result(): SimulatedRun {
    const run = this.#server.run;
    if (!run) throw new Error('a simulation has a run from its beginning');
    const { workers, untilLoss } = this.#scenario;
    const state = run.state(this.#queue.nowMs);
    const { applied, stale } = state.counters;
    const curve = run.test.points.map(({ elapsedMs, step, examples, loss, accuracy }) => ({
      elapsedMs,
      step,
      examples,
      loss,
      accuracy,
    }));
    const last = curve.at(-1);
    const target = untilLoss === null ? undefined : curve.find(({ loss }) => loss <= untilLoss);
    const [up, down] = [this.#hostDown.bytes, this.#hostUp.bytes];
    const spent = this.#allSpent();
    const ofTime = (ms: number) => (spent.presentMs === 0 ? 0 : ms / spent.presentMs);
    const runMs = Math.max(1, (this.#endedMs ?? this.#queue.nowMs) - (this.#startedMs ?? 0));
    return {
      strategy: this.#strategy,
      stopReason: state.stopReason,
      elapsedMs: state.elapsedMs,
      toTargetMs: target?.elapsedMs ?? null,
      updates: state.version,
      examples: state.examples,
      testLoss: last?.loss ?? null,
      accuracy: last?.accuracy ?? null,
      hostBytes: { up, down },
      workerBytes: { up: (up + this.#peerBytes) / workers, down: (down + this.#peerBytes) / workers },
      shares: {
        compute: ofTime(spent.computeMs),
        wait: ofTime(spent.waitMs),
        transfer: ofTime(spent.transferMs),
        idle: 1 - ofTime(spent.computeMs),
      },
      hostBusy: {
        server: Math.min(1, this.#serverBusyMs / runMs),
        up: Math.min(1, this.#hostUp.busyMs / runMs),
        down: Math.min(1, this.#hostDown.busyMs / runMs),
      },
      staleShare: applied + stale === 0 ? 0 : stale / (applied + stale),
      staleness: applied + stale === 0 ? 0 : this.#stalenessSum / (applied + stale),
      joins: this.#joins,
      leaves: this.#leaves,
      events: this.#events,
      curve,
    };
  }

  #allSpent() {
    const total = { ...this.#spent };
    const nowMs = this.#endedMs ?? this.#queue.nowMs;
    for (const worker of this.#present) this.#addSpent(total, worker, nowMs);
    return total;
  }

  #addSpent(total: typeof nothingSpent, worker: SimWorker, nowMs: number): void {
    if (this.#startedMs === null) return;
    const { presentMs, computeMs, phases } = worker.spent(this.#startedMs, nowMs);
    total.presentMs += presentMs;
    total.computeMs += Math.min(computeMs, presentMs);
    total.waitMs += phases.waitMs;
    total.transferMs += phases.transferMs;
  }

  #newMachine(): Machine {
    const machine = drawMachine(this.#machineCount, this.#scenario);
    this.#machineCount += 1;
    return machine;
  }

  #join(machine: Machine, token: string): void {
    this.#linkCount += 1;
    const { nowMs } = this.#queue;
    const worker = new SimWorker(this.#linkCount, machine, token, this.#scenario, this.#problem.schema.size, nowMs);
    this.#links.set(worker.link, worker);
    this.#present.push(worker);
    if (this.#startedMs !== null) this.#joins += 1;
    this.#do(worker, worker.side.hello('', 'simulated'), nowMs);
    this.#beat(worker);
  }

  #beat(worker: SimWorker): void {
    this.#queue.at(this.#queue.nowMs + BEAT_MS, () => {
      if (worker.isGone) return;
      this.#hear(worker, { type: 'beat' });
      this.#beat(worker);
    });
  }

  /** Its link breaks, whatever it was doing; after a while somebody else comes, or the same one again. */
  #leave(worker: SimWorker): void {
    const { nowMs } = this.#queue;
    worker.isGone = true;
    this.#present = this.#present.filter((other) => other !== worker);
    if (this.#endedMs === null) this.#addSpent(this.#spent, worker, nowMs);
    this.#leaves += 1;
    this.#queue.at(nowMs + worker.machine.latencyMs, () => {
      if (this.#links.delete(worker.link)) this.#tell({ type: 'closed', link: worker.link }, this.#queue.nowMs, 0);
    });
    for (const { other, latencyMs } of worker.peers.values()) this.#losePeer(other, worker.number, latencyMs);
    const isReturning = this.#random.uniform() < RETURNS;
    this.#queue.at(nowMs + this.#after(REPLACE_MS), () => {
      if (isReturning) this.#join(worker.machine, worker.side.token);
      else this.#join(this.#newMachine(), '');
    });
  }

  /** From one chance event to the next. */
  #after(meanMs: number): number {
    return -Math.log(1 - this.#random.uniform()) * meanMs;
  }

  #churn(): void {
    const { churn } = this.#scenario;
    if (churn === 0) return;
    this.#queue.at(this.#queue.nowMs + this.#after(60_000 / churn), () => {
      const unlucky = this.#present[this.#random.below(this.#present.length)];
      if (unlucky) this.#leave(unlucky);
      this.#churn();
    });
  }

  #tick(): void {
    this.#queue.at(this.#queue.nowMs + TICK_MS, () => {
      this.#tell({ type: 'tick' }, this.#queue.nowMs, 0);
      this.#tick();
    });
  }

  /** The server gets to this event when it is done with all before; its effects are of that moment. */
  #tell(event: ServerEvent, atMs: number, costMs: number): void {
    const nowMs = Math.max(atMs, this.#serverFreeMs) + costMs;
    this.#serverFreeMs = nowMs;
    if (this.#startedMs !== null && this.#endedMs === null) this.#serverBusyMs += costMs;
    for (const effect of this.#server.handle(event, nowMs)) this.#carryOut(effect, nowMs);
    const phase = this.#server.run?.phase;
    if (this.#startedMs === null && phase === 'running') {
      this.#startedMs = nowMs;
      this.#churn();
    }
    if (phase === 'finishing' || phase === 'finished' || phase === 'failed') this.#endedMs ??= nowMs;
  }

  #carryOut(effect: Effect, nowMs: number): void {
    switch (effect.type) {
      case 'send':
        return this.#sendDown(effect, nowMs);
      case 'close':
        this.#links.delete(effect.link);
        return;
      case 'evaluate': {
        const { run, version } = effect;
        const score = this.#problem.test((this.#server.run as { params: Float32Array }).params);
        this.#queue.at(nowMs + this.#scenario.evaluation, () =>
          this.#tell({ type: 'evaluated', run, version, ...score, precisions: [] }, this.#queue.nowMs, 0),
        );
        return;
      }
      case 'wake':
        this.#queue.at(effect.atMs, () => this.#tell({ type: 'tick' }, this.#queue.nowMs, 0));
        return;
      case 'checkpoint':
        return;
      default:
        effect satisfies never;
    }
  }

  #sendDown({ link, message, withParams }: Extract<Effect, { type: 'send' }>, nowMs: number): void {
    const worker = this.#links.get(link);
    if (!worker) return;
    if (message.type === 'welcome') {
      worker.number = message.worker;
      this.#byNumber.set(worker.number, worker);
    }
    if (message.type === 'answer' && message.verdict.kind !== 'rejected')
      this.#stalenessSum += message.verdict.staleness;
    const body = withParams ? (this.#server.run?.outgoing() ?? null) : null;
    const bytes = this.#wire.toWorker(message, body);
    const firstMs = this.#hostUp.send(bytes, nowMs) + worker.machine.latencyMs;
    const atMs = worker.down.pass(bytes, firstMs, firstMs + bytes / this.#hostUp.rate);
    // Progress is for the volunteer's eyes: it takes its bytes, and changes nothing.
    if (message.type === 'progress') return;
    this.#queue.at(atMs, () => {
      if (message.type === 'ring') worker.ringMembers = Math.max(1, message.members.length);
      this.#hear(worker, { type: 'message', message, body: body ?? NOTHING });
    });
  }

  #hear(worker: SimWorker, event: WorkerEvent): void {
    if (worker.isGone) return;
    const { nowMs } = this.#queue;
    this.#do(worker, worker.side.handle(event, nowMs), nowMs);
  }

  #do(worker: SimWorker, effects: readonly WorkerEffect[], nowMs: number): void {
    for (const effect of effects) {
      switch (effect.type) {
        case 'send':
          this.#sendUp(worker, effect.message, effect.body, nowMs);
          break;
        case 'compute':
          this.#compute(worker, effect, nowMs);
          break;
        case 'prepare': {
          const { run } = effect;
          const { schema } = this.#problem;
          const backend = { name: 'simulated', why: '' };
          this.#queue.at(nowMs + PREPARE_MS, () => this.#hear(worker, { type: 'prepared', run, schema, backend }));
          break;
        }
        case 'peers':
          for (const peer of effect.calls) this.#peerLink(worker, peer, nowMs);
          for (const peer of effect.expects) this.#peerLink(worker, peer, nowMs);
          break;
        case 'peer-send':
          this.#sendAcross(worker, effect.peer, effect.message, effect.body, nowMs);
          break;
        case 'end':
          if (!worker.isGone) this.#leave(worker);
          break;
        case 'expect':
        case 'prefetch':
        case 'signal':
        case 'stage':
        case 'stepped':
          break;
        default:
          effect satisfies never;
      }
    }
  }

  #sendUp(worker: SimWorker, message: ToHost, body: Uint8Array | null, nowMs: number): void {
    const times = message.type === 'beat' ? BEATS_AT_ONCE : 1;
    const bytes = times * this.#wire.toHost(message, body);
    const firstMs = worker.up.send(bytes, nowMs) + worker.machine.latencyMs;
    const lastMs = firstMs + bytes / worker.up.rate;
    this.#queue.at(lastMs, () => {
      // What was still on its way when the link broke is lost.
      if (!this.#links.has(worker.link)) return;
      const hereMs = this.#hostDown.gather(bytes, firstMs, lastMs);
      const { serverTime, serverPerNumber, parameters } = this.#scenario;
      const costMs = (times * serverTime) / 1000 + (body === null ? 0 : (serverPerNumber * parameters) / 1e6);
      this.#tell(
        { type: 'message', link: worker.link, isLocal: false, message, body: body ?? NOTHING },
        hereMs,
        costMs,
      );
    });
  }

  #compute(
    worker: SimWorker,
    { task, lease, params }: Extract<WorkerEffect, { type: 'compute' }>,
    nowMs: number,
  ): void {
    const computeMs = worker.begin(nowMs);
    this.#queue.at(nowMs + computeMs, () => {
      if (worker.isGone) return;
      worker.done();
      // Only now: the parameters have not changed, and of a step that was cut short nothing is needed.
      const { gradient } = worker;
      const loss = this.#problem.gradient(params, lease.from, lease.count, gradient);
      const result = { gradient, loss, correct: null, computeMs, decodeMs: 0, readMs: 0 };
      this.#hear(worker, { type: 'computed', task, result });
    });
  }

  /** The link between two workers; made on the first call of either. Null if the other is not there. */
  #peerLink(worker: SimWorker, peer: number, nowMs: number): PeerLink | null {
    const known = worker.peers.get(peer);
    if (known) return known;
    const other = this.#byNumber.get(peer);
    const setupMs = 2 * CONNECT_TRIPS * (worker.machine.latencyMs + (other?.machine.latencyMs ?? 0));
    if (!other || other.isGone) {
      this.#losePeer(worker, peer, setupMs);
      return null;
    }
    const latencyMs = (worker.machine.latencyMs + other.machine.latencyMs) / 2;
    const link = { other, openMs: nowMs + setupMs, latencyMs };
    worker.peers.set(peer, link);
    other.peers.set(worker.number, { ...link, other: worker });
    return link;
  }

  #losePeer(worker: SimWorker, peer: number, inMs: number): void {
    worker.peers.delete(peer);
    this.#queue.at(this.#queue.nowMs + inMs, () => this.#hear(worker, { type: 'peer-lost', peer }));
  }

  #sendAcross(worker: SimWorker, peer: number, message: ToPeer, body: Uint8Array, nowMs: number): void {
    const link = this.#peerLink(worker, peer, nowMs);
    if (!link) return;
    if (link.openMs <= nowMs) return this.#across(worker, link, message, body, nowMs);
    this.#queue.at(link.openMs, () => {
      if (!worker.isGone) this.#across(worker, link, message, body, link.openMs);
    });
  }

  #across(worker: SimWorker, { other, latencyMs }: PeerLink, message: ToPeer, body: Uint8Array, nowMs: number): void {
    if (other.isGone) return;
    const bytes = this.#wire.toPeer(message, body, worker.ringMembers);
    this.#peerBytes += bytes;
    const firstMs = worker.up.send(bytes, nowMs) + latencyMs;
    const atMs = other.down.pass(bytes, firstMs, firstMs + bytes / worker.up.rate);
    this.#queue.at(atMs, () => this.#hear(other, { type: 'peer-message', peer: worker.number, message, body }));
  }
}

import type { Rng } from '../math/rng.ts';
import type { Refusal, ToHost, ToWorker } from '../wire/protocol.ts';
import type { Member, MemberRecord } from './member.ts';
import type { RunState, WorkerState } from './progress.ts';
import { Roster } from './roster.ts';
import type { Run, RunPlan } from './run.ts';
import type { Effect, SavedServer, ServerEvent } from './server-events.ts';
import { rejectPush, type Surroundings, Training } from './training.ts';

export type { Effect, SavedServer, ServerEvent } from './server-events.ts';

const PROGRESS_MS = 1000;
/** A worker not heard of for this long is dropped. Steps block a worker's thread, so this must exceed a long step. */
const SILENCE_MS = 60_000;

/**
 * The parameter server: state, an event and the time give the next state and effects. It owns no clock, no thread, no
 * link and no randomness of its own.
 *
 * Safety: a push changes the parameters at most once, only from a lease its worker holds, and only with finite numbers.
 * Liveness: a round never waits for a worker beyond its deadline; examples of a lost worker go to another.
 */
export class ParameterServer {
  readonly #roster: Roster;
  readonly #wallOffsetMs: number;
  readonly #around: Surroundings;
  #training: Training | null = null;
  #runs: number;
  #effects: Effect[] = [];
  #nowMs = 0;
  #progressMs = 0;

  /** `wallOffsetMs` + now is the time of day. */
  constructor(random: Rng, wallOffsetMs: number) {
    this.#roster = new Roster(random);
    this.#wallOffsetMs = wallOffsetMs;
    // A restarted host must not take pushes to its predecessor's runs for its own.
    this.#runs = random.below(2 ** 31);
    this.#around = this.#surroundings();
  }

  get run(): Run | null {
    return this.#training?.run ?? null;
  }

  get members(): ReadonlyMap<number, Member> {
    return this.#roster.members;
  }

  /** Applies one event and says what is to be done about it. */
  handle(event: ServerEvent, nowMs: number): readonly Effect[] {
    this.#nowMs = nowMs;
    this.#effects = [];
    this.#dispatch(event);
    this.#training?.settle();
    return this.#effects;
  }

  runState(nowMs: number): RunState | null {
    return this.run?.state(nowMs) ?? null;
  }

  workerStates(nowMs: number): WorkerState[] {
    return [...this.members.values()].map((member) => member.state(nowMs));
  }

  /** Everything needed to go on after a restart. The arrays are live: copy them at once. */
  snapshot(nowMs: number): SavedServer | null {
    if (!this.run) return null;
    const members = [...this.members.values()].map(({ worker, token, name }) => ({ worker, token, name }));
    return { ...this.run.snapshot(nowMs), members };
  }

  /** Learns who took part in a saved run before anybody decides to resume it: they may come back first. */
  recall(members: readonly MemberRecord[]): void {
    this.#roster.restore(members);
  }

  #surroundings(): Surroundings {
    const server = this;
    return {
      get nowMs() {
        return server.#nowMs;
      },
      get wallMs() {
        return server.#wallOffsetMs + server.#nowMs;
      },
      members: this.members,
      get present() {
        return server.#roster.inOrder;
      },
      send: (member, message, withParams) => this.#send(member, message, withParams),
      do: (effect) => this.#effects.push(effect),
      broadcast: () => this.#broadcast(),
    };
  }

  #dispatch(event: ServerEvent): void {
    switch (event.type) {
      case 'message':
        return this.#message(event.link, event.isLocal, event.message, event.body);
      case 'closed':
        return this.#closed(event.link);
      case 'garbled':
        return this.#dismiss(event.link, 'garbled');
      case 'start':
        return this.#start(event.plan, event.saved);
      case 'pause':
        return this.#training?.pause();
      case 'resume':
        return this.#training?.resume();
      case 'finish':
        return this.#training?.stop('host');
      case 'reset':
        return this.#reset();
      case 'remove':
        return this.#remove(event.worker);
      case 'evaluated':
        return this.#training?.evaluated(event);
      case 'evaluator-failed':
        return this.#training?.fail('evaluator');
      case 'tick':
        return this.#tick();
      default:
        event satisfies never;
    }
  }

  #message(link: number, isLocal: boolean, message: ToHost, body: Uint8Array): void {
    if (message.type === 'hello') return this.#hello(link, isLocal, message);
    const member = this.#roster.on(link);
    if (!member) return this.#dismiss(link, 'garbled');
    member.heardMs = this.#nowMs;
    switch (message.type) {
      case 'ready':
        return this.#ready(link, member, message);
      case 'push':
        if (!this.#training) return rejectPush(this.#around, null, member, message, 'old-run');
        if (!this.#training.push(member, message, body)) this.#dismiss(link, 'garbled');
        return;
      case 'pull':
        if (this.#training?.pull(member, message, body) === false) this.#dismiss(link, 'garbled');
        return;
      case 'reduced':
      case 'unreachable':
        return this.#training?.ringNews(member, message);
      case 'state':
        if (this.#training?.copied(member, message, body) === false) this.#dismiss(link, 'garbled');
        return;
      case 'signal':
        return this.#training?.passOn(member, message);
      case 'pause':
        member.isPaused = true;
        member.pauses += 1;
        return this.#training?.lose(member, false);
      case 'resume':
        member.isPaused = false;
        return this.#training?.offer();
      case 'trouble':
        member.trouble = message.text;
        return this.#training?.trouble(member, message);
      // The host sees to these by itself.
      case 'sample':
      case 'want':
      case 'beat':
        return;
      case 'leave':
        return this.#dismiss(link, 'closed');
      default:
        message satisfies never;
    }
  }

  #hello(link: number, isLocal: boolean, hello: Extract<ToHost, { type: 'hello' }>): void {
    const refusal = this.#roster.refusal(link, hello);
    if (refusal) return this.#dismiss(link, refusal);
    const known = this.#roster.known(isLocal, hello);
    // The same worker on a new link: the old one is dead, or will be.
    if (known?.link != null) this.#dismiss(known.link, 'closed');
    const member = known ?? this.#roster.enrol(isLocal, hello);
    if (!member) return this.#dismiss(link, 'full');
    this.#roster.arrive(member, link, hello, this.#nowMs);
    const { worker, name, token } = member;
    this.#send(member, { type: 'welcome', worker, name, token });
    this.#invite(member);
  }

  #invite(member: Member): void {
    if (!this.run) return;
    const { experiment, schema } = this.run.plan;
    this.#send(member, { type: 'run', run: this.run.run, schema: schema.hash, experiment });
    this.#sendProgress(member);
  }

  #ready(link: number, member: Member, ready: Extract<ToHost, { type: 'ready' }>): void {
    if (!this.run || ready.run !== this.run.run || member.phase !== 'preparing') return;
    if (ready.schema !== this.run.plan.schema.hash) return this.#dismiss(link, 'schema');
    member.phase = 'ready';
    member.backend = ready.backend;
    member.why = ready.why;
    member.trouble = null;
    this.#training?.offer();
  }

  #start(plan: RunPlan, saved?: SavedServer): void {
    this.#reset();
    if (saved) this.#roster.restore(saved.members);
    this.#runs += 1;
    this.#training = new Training(plan, this.#runs, this.#around, saved);
    for (const member of this.members.values()) {
      member.restart();
      if (member.isHere) this.#invite(member);
    }
    this.#training.begin();
  }

  #reset(): void {
    this.#training?.close();
    this.#training = null;
    for (const member of this.members.values()) {
      member.restart();
      if (member.isHere) member.phase = 'ready';
    }
  }

  #tick(): void {
    for (const [link, member] of this.#roster.present) {
      if (this.#nowMs - member.heardMs > SILENCE_MS) this.#dismiss(link, 'silent');
    }
    this.#training?.tick();
    if (this.#nowMs - this.#progressMs >= PROGRESS_MS) this.#broadcast();
  }

  #broadcast(): void {
    this.#progressMs = this.#nowMs;
    for (const member of this.#roster.present.values()) this.#sendProgress(member);
  }

  #sendProgress(member: Member): void {
    if (!this.run) return;
    const { run, phase, version, examples, leftMs } = this.run.state(this.#nowMs);
    const test = this.run.test.points.at(-1);
    const [loss, accuracy] = [test?.loss ?? null, test?.accuracy ?? null];
    const workers = this.#roster.present.size;
    this.#send(member, { type: 'progress', run, phase, version, examples, workers, loss, accuracy, leftMs });
  }

  #remove(worker: number): void {
    const member = this.members.get(worker);
    if (!member) return;
    if (member.link !== null) this.#dismiss(member.link, 'removed');
    this.#roster.ban(member);
  }

  /** Ends a link with words; what its worker held goes to others. */
  #dismiss(link: number, reason: Refusal): void {
    this.#effects.push({ type: 'send', link, message: { type: 'bye', reason }, withParams: false });
    this.#effects.push({ type: 'close', link });
    this.#closed(link);
  }

  #closed(link: number): void {
    const member = this.#roster.depart(link);
    if (member) this.#training?.lose(member, true);
  }

  #send(member: Member, message: ToWorker, withParams = false): void {
    if (member.link !== null) this.#effects.push({ type: 'send', link: member.link, message, withParams });
  }
}

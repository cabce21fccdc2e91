import type { Rng } from '../math/rng.ts';
import type { Refusal, ToHost } from '../wire/protocol.ts';
import { reject } from './exchange.ts';
import type { Member, MemberRecord } from './member.ts';
import type { RunState, WorkerState } from './progress.ts';
import { Roster } from './roster.ts';
import type { Run, RunPlan } from './run.ts';
import type { SavedServer } from './saved-run.ts';
import type { Effect, ServerEvent } from './server-events.ts';
import type { Session } from './session.ts';
import { Training } from './training.ts';
import { Turn } from './turn.ts';

export type { SavedServer } from './saved-run.ts';
export type { Effect, ServerEvent } from './server-events.ts';

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
  readonly #turn: Turn;
  #training: Training | null = null;
  #runs: number;

  /** `wallOffsetMs` + now is the time of day. */
  constructor(random: Rng, wallOffsetMs: number) {
    this.#roster = new Roster(random);
    this.#turn = new Turn(wallOffsetMs);
    // A restarted host must not take pushes to its predecessor's runs for its own.
    this.#runs = random.below(2 ** 31);
  }

  get run(): Run | null {
    return this.#training?.run ?? null;
  }

  get members(): ReadonlyMap<number, Member> {
    return this.#roster.members;
  }

  /** Applies one event and says what is to be done about it. */
  handle(event: ServerEvent, nowMs: number): readonly Effect[] {
    this.#turn.begin(nowMs);
    this.#dispatch(event);
    this.#training?.settle();
    return this.#turn.effects;
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
    const session = this.#roster.present.get(link);
    if (!session) return this.#dismiss(link, 'garbled');
    session.heardMs = this.#turn.nowMs;
    switch (message.type) {
      case 'ready':
        return this.#ready(session, message);
      case 'push':
        if (!this.#training) return reject(this.#turn, session, message, 0, 'old-run');
        if (!this.#training.push(session, message, body)) this.#dismiss(link, 'garbled');
        return;
      case 'pull':
        if (this.#training?.pull(session, message, body) === false) this.#dismiss(link, 'garbled');
        return;
      case 'reduced':
      case 'unreachable':
        return this.#training?.ringNews(session, message);
      case 'state':
        if (this.#training?.copied(session, message, body) === false) this.#dismiss(link, 'garbled');
        return;
      case 'signal':
        return this.#training?.passOn(session, message);
      case 'pause':
        session.pause();
        return this.#training?.lose(session, false);
      case 'resume':
        session.resume();
        return this.#training?.offer();
      case 'trouble':
        session.member.trouble = message.text;
        return this.#training?.trouble(session, message);
      // The host handles these itself.
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
    if (known?.session) this.#dismiss(known.session.link, 'closed');
    const member = known ?? this.#roster.enrol(isLocal, hello);
    if (!member) return this.#dismiss(link, 'full');
    const session = this.#roster.arrive(member, link, hello, this.#turn.nowMs);
    const { worker, name, token } = member;
    this.#turn.send(session, { type: 'welcome', worker, name, token });
    this.#training?.invite(session);
  }

  #ready(session: Session, { run, schema, backend, why }: Extract<ToHost, { type: 'ready' }>): void {
    if (run !== this.run?.run || session.work.kind !== 'preparing') return;
    if (schema !== this.run.plan.schema.hash) return this.#dismiss(session.link, 'schema');
    session.enter('ready');
    session.member.backend = backend;
    session.member.why = why;
    session.member.trouble = null;
    this.#training?.offer();
  }

  #start(plan: RunPlan, saved?: SavedServer): void {
    this.#reset();
    if (saved) this.#roster.restore(saved.members);
    this.#runs += 1;
    this.#training = new Training({ plan, number: this.#runs, roster: this.#roster, turn: this.#turn, saved });
    for (const session of this.#roster.present.values()) session.enter('preparing');
    this.#training.begin();
  }

  #reset(): void {
    this.#training?.close();
    this.#training = null;
    for (const member of this.members.values()) member.restart();
    for (const session of this.#roster.present.values()) session.enter('ready');
  }

  #tick(): void {
    for (const [link, { heardMs }] of this.#roster.present) {
      if (this.#turn.nowMs - heardMs > SILENCE_MS) this.#dismiss(link, 'silent');
    }
    this.#training?.tick();
  }

  #remove(worker: number): void {
    const member = this.members.get(worker);
    if (!member) return;
    if (member.session) this.#dismiss(member.session.link, 'removed');
    this.#roster.ban(member);
  }

  /** Ends a link with a reason; its worker's leases go to others. */
  #dismiss(link: number, reason: Refusal): void {
    this.#turn.effects.push({ type: 'send', link, message: { type: 'bye', reason }, withParams: false });
    this.#turn.effects.push({ type: 'close', link });
    this.#closed(link);
  }

  #closed(link: number): void {
    const session = this.#roster.depart(link);
    if (session) this.#training?.lose(session, true);
  }
}

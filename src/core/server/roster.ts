import type { Rng } from '../math/rng.ts';
import { PROTOCOL, type Refusal, type ToHost } from '../wire/protocol.ts';
import { Member, type MemberRecord } from './member.ts';
import { Session } from './session.ts';

const MAX_MEMBERS = 1000;

type Hello = Extract<ToHost, { type: 'hello' }>;

/** Everyone who takes part or did: who is on which link, who has which token, who was removed. */
export class Roster {
  readonly members = new Map<number, Member>();
  readonly #sessions = new Map<number, Session>();
  readonly #removedTokens = new Set<string>();
  readonly #random: Rng;
  #inOrder: readonly Session[] | null = null;

  constructor(random: Rng) {
    this.#random = random;
  }

  /** Those who are here, by their links. */
  get present(): ReadonlyMap<number, Session> {
    return this.#sessions;
  }

  /** Those who are here, by number. */
  get inOrder(): readonly Session[] {
    this.#inOrder ??= [...this.#sessions.values()].sort((a, b) => a.member.worker - b.member.worker);
    return this.#inOrder;
  }

  /** Remembers the members of a saved run, so that they are the same workers when they come back. */
  restore(records: readonly MemberRecord[]): void {
    for (const { worker, token, name } of records) {
      const isKnown = [...this.members.values()].some((member) => member.token === token);
      if (!isKnown && !this.members.has(worker))
        this.members.set(worker, new Member(worker, token, name, worker === 0));
    }
  }

  /** Why this hello must be refused, or null. */
  refusal(link: number, hello: Hello): Refusal | null {
    if (hello.protocol !== PROTOCOL) return 'protocol';
    if (this.#removedTokens.has(hello.token)) return 'removed';
    if (this.#sessions.has(link)) return 'garbled';
    return null;
  }

  /** Who says hello, if it was here before: by its token, or as the host's own worker. */
  known(isLocal: boolean, { token }: Hello): Member | undefined {
    if (isLocal) return this.members.get(0);
    return token ? [...this.members.values()].find((member) => member.token === token && !member.isLocal) : undefined;
  }

  /** A new member, or null if there is no room. */
  enrol(isLocal: boolean, { token, name }: Hello): Member | null {
    if (this.members.size >= MAX_MEMBERS && !this.#forgetSomeone()) return null;
    const worker = isLocal ? 0 : 1 + Math.max(0, ...this.members.keys());
    const member = new Member(worker, token || this.#token(), clean(name), isLocal);
    this.members.set(worker, member);
    return member;
  }

  arrive(member: Member, link: number, { name, device }: Hello, nowMs: number): Session {
    const session = new Session(member, link, nowMs);
    member.session = session;
    member.device = clean(device);
    if (name) member.name = clean(name);
    this.#sessions.set(link, session);
    this.#inOrder = null;
    return session;
  }

  /** The link is over, and with it the session on it, if there was one. */
  depart(link: number): Session | undefined {
    const session = this.#sessions.get(link);
    if (!session) return undefined;
    this.#sessions.delete(link);
    this.#inOrder = null;
    session.member.session = null;
    return session;
  }

  /** Never again. */
  ban(member: Member): void {
    this.#removedTokens.add(member.token);
    this.members.delete(member.worker);
  }

  #token(): string {
    return Array.from({ length: 4 }, () => this.#random.uint32().toString(16).padStart(8, '0')).join('');
  }

  #forgetSomeone(): boolean {
    const gone = [...this.members.values()].find((member) => !member.session);
    return gone !== undefined && this.members.delete(gone.worker);
  }
}

/** Names come from strangers and are shown to others: letters, digits, punctuation and spaces only. */
const clean = (text: string) => text.replace(/[^\p{L}\p{N}\p{P}\p{Zs}]/gu, '').trim();

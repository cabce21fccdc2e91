import type { WebSocket } from 'ws';
import { checkTicket, codeInvite, isSame, readTicket } from '../net/join/invite.ts';
import type { JoinRefusal, RoomTerms } from '../net/join/messages.ts';
import { type Allowance, Limiter } from './limits.ts';

/** Guesses of a code: 31⁶ codes at 10 a minute are 170 years for one address and one room. */
const TRIES: Allowance = { burst: 10, perSecond: 10 / 60 };
/** The same for all addresses together: nearly three years for one room. */
const ALL_TRIES: Allowance = { burst: 600, perSecond: 10 };
/** How long a room whose host is away is kept for it: a laptop's lid, a reload, a train through a tunnel. */
const KEPT_MS = 10 * 60_000;
/** Whoever waits for a host asks for the same code again and again: that is one guess in this time. */
const SAME_CODE: Allowance = { burst: 1, perSecond: 1 / 600 };
/** Rooms without a host are small; beyond this many the oldest is given up. */
const MAX_KEPT = 1000;

export interface Room {
  readonly code: string;
  /** Whose room it is: the same token takes it over. */
  readonly token: string;
  /** Null while the host is away. */
  host: WebSocket | null;
  /** Null before the host has sent ROOM. */
  terms: RoomTerms | null;
  readonly workers: Map<string, WebSocket>;
  awaySinceMs: number;
}

type RoomAnswer =
  | { readonly kind: 'welcome'; readonly invite: string | null }
  | { readonly kind: 'refused'; readonly why: JoinRefusal };

/** Who hosts which code, and who may join. Opens no socket and reads no clock. */
export class Rooms {
  readonly #rooms = new Map<string, Room>();
  readonly #tries = new Limiter(TRIES);
  readonly #allTries = new Limiter(ALL_TRIES);
  readonly #asked = new Limiter(SAME_CODE);

  get(code: string): Room | undefined {
    return this.#rooms.get(code);
  }

  /** The room of `code` for whoever has this token; null while it is another's. */
  claim(code: string, token: string, host: WebSocket, nowMs: number): Room | null {
    this.#forgetOld(nowMs);
    const found = this.#rooms.get(code);
    if (found !== undefined && !isSame(found.token, token)) return null;
    const room = found ?? { code, token, host, terms: null, workers: new Map(), awaySinceMs: nowMs };
    room.host = host;
    this.#rooms.set(code, room);
    return room;
  }

  /** The host's connection is gone; the room is kept for a while, with its invites refused as no-host. */
  leave(room: Room, nowMs: number): void {
    room.host = null;
    room.terms = null;
    room.awaySinceMs = nowMs;
    this.#forgetOld(nowMs);
  }

  /** The host gives the code back. */
  drop(room: Room): void {
    if (this.#rooms.get(room.code) === room) this.#rooms.delete(room.code);
  }

  /** The room that a worker with this ticket may enter now; else why not, without saying whether the room exists. */
  enter(code: string, ticket: string, nowMs: number): Room | JoinRefusal {
    const room = this.#rooms.get(code);
    if (room === undefined || room.host === null || room.terms === null) return 'no-host';
    const verdict = checkTicket(room.terms.verifier, code, ticket, nowMs);
    if (verdict === 'wrong') return 'not-invited';
    if (verdict === 'expired') return 'expired';
    return readTicket(ticket)?.via === 'code' && !room.terms.allowsTyping ? 'code-off' : room;
  }

  /**
   * Answers somebody at this address who wants in, with a ticket or with a typed code alone. Wrong codes and wrong
   * tickets are counted against the address; a valid ticket is never refused for what others at its address tried.
   */
  ask(code: string, ticket: string | null, address: string, nowMs: number): RoomAnswer {
    const room = this.#rooms.get(code);
    const entered = ticket === null ? null : this.enter(code, ticket, nowMs);
    if (entered !== null && typeof entered !== 'string') return { kind: 'welcome', invite: null };
    // A relay that was restarted knows no room before its host is back: workers who ask meanwhile learn nothing new.
    const question = `${address} ${code}`;
    if (room === undefined && !this.#asked.has(question, nowMs)) return { kind: 'refused', why: 'no-host' };
    if (!this.#tries.has(address, nowMs) || !this.#allTries.has('', nowMs))
      return { kind: 'refused', why: 'too-many-tries' };
    // A known room whose host is away is no guess: its workers ask until it is back.
    if (room !== undefined && room.terms === null) return { kind: 'refused', why: 'no-host' };
    if (entered === null && room?.terms?.allowsTyping) {
      return { kind: 'welcome', invite: codeInvite(room.terms.verifier, code, nowMs) };
    }
    this.#tries.take(address, nowMs);
    this.#allTries.take('', nowMs);
    if (room === undefined) this.#asked.take(question, nowMs);
    return { kind: 'refused', why: entered ?? (room === undefined ? 'no-host' : 'code-off') };
  }

  #forgetOld(nowMs: number): void {
    const away = [...this.#rooms.values()].filter(({ host }) => host === null);
    away.sort((a, b) => a.awaySinceMs - b.awaySinceMs);
    away.forEach((room, index) => {
      if (index < away.length - MAX_KEPT || nowMs - room.awaySinceMs > KEPT_MS) this.drop(room);
    });
  }
}

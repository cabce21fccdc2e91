import { Connection } from '../link/connection.ts';
import { RelayLink } from '../link/relay-link.ts';
import type { Fingerprints, IceServer } from '../link/signal.ts';
import { type BareLink, greetWorker, type ProvenLink } from './handshake.ts';
import { type NetSettings, socketUrl } from './ice.ts';
import { checkTicket, proofFor, readTicket, verifierOf } from './invite.ts';
import { type FromRelay, hostId, type RoomTerms, signalMessage } from './messages.ts';
import { type Runtime, type SignalHandlers, SignalSocket } from './signal-socket.ts';

/** Chromium gives a tab 500 connections for good; this many half-made ones at a time leave room for a class. */
export const MAX_PENDING = 64;
/** How long the relay may take to open a relayed link. */
const MEET_MS = 15_000;
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 8000;
/** TURN credentials that the relay gives run out; new ones are asked for long before. */
const TERMS_MS = 3_600_000;

export interface ListenState {
  readonly kind: 'connecting' | 'open' | 'lost';
  /** Why new workers cannot come just now; null while they can or the first attempt goes on. */
  readonly problem: string | null;
}

/** On what terms workers come in. */
export interface Terms {
  /** Another secret makes every invite so far worthless. */
  readonly secret: string;
  readonly allowsTyping: boolean;
}

export interface ListenOptions extends Terms {
  readonly code: string;
  /** Proves to signalling that a host that starts again is the same (newSecret). */
  readonly token: string;
  /** For a relay that lets only some open rooms. */
  readonly hostKey: string | null;
  /** Whether the code is given back at the end; a host that will come back keeps it. */
  readonly freesCode: boolean;
  isBanned(device: string): boolean;
  onLink(link: ProvenLink): void;
  onState(state: ListenState): void;
}

/**
 * Waits for invited workers. Returns to a lost relay by itself, for as long as it takes; links that are open do not need
 * it and stay. No connection is made for an offer before its ticket is checked, nor beyond MAX_PENDING at a time.
 */
export class Listener {
  readonly #runtime: Runtime;
  readonly #settings: NetSettings;
  readonly #options: ListenOptions;
  #terms: Terms;
  #iceServers: readonly IceServer[];
  #socket: SignalSocket | null = null;
  #failures = 0;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #termsTimer: ReturnType<typeof setTimeout> | undefined;
  /** Until they have proven themselves, by worker and call; null for links through the relay. */
  readonly #pending = new Map<string, Connection | null>();
  #links: readonly BareLink[] = [];
  readonly #closing = new AbortController();

  constructor(runtime: Runtime, settings: NetSettings, options: ListenOptions) {
    this.#runtime = runtime;
    this.#settings = settings;
    this.#options = options;
    this.#terms = options;
    this.#iceServers = settings.iceServers;
    options.onState({ kind: 'connecting', problem: null });
    if (runtime.openRtc === null) this.#lose('no-webrtc');
    else this.#join();
  }

  /** Links that are open stay, whatever the terms become. */
  setTerms(terms: Terms): void {
    this.#terms = terms;
    this.#sendTerms();
  }

  /** Stops listening and ends all links. */
  close(): void {
    this.#closing.abort();
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#termsTimer);
    if (this.#options.freesCode) this.#socket?.send({ type: 'LEAVE' });
    this.#socket?.close();
    for (const connection of this.#pending.values()) connection?.end();
    for (const link of this.#links) link.close();
  }

  #join(): void {
    const { code, token } = this.#options;
    this.#socket = new SignalSocket(
      this.#runtime,
      this.#settings.relayUrl,
      { id: hostId(code), token },
      {
        onOpen: () => this.#sendTerms(),
        onMessage: (message) => this.#hear(message),
        onEnd: (why) => this.#retryLater(why),
      },
    );
  }

  #sendTerms(): void {
    clearTimeout(this.#termsTimer);
    this.#termsTimer = setTimeout(() => this.#sendTerms(), TERMS_MS);
    const { secret, allowsTyping } = this.#terms;
    const { code, hostKey } = this.#options;
    const payload: RoomTerms = { verifier: verifierOf(secret, code), allowsTyping, hostKey: hostKey ?? undefined };
    this.#socket?.send({ type: 'ROOM', payload });
  }

  #retryLater(why: EndReason): void {
    clearTimeout(this.#termsTimer);
    this.#lose(why);
    const pauseMs = Math.min(FIRST_RETRY_MS * 2 ** this.#failures, LAST_RETRY_MS);
    this.#failures += 1;
    this.#retryTimer = setTimeout(() => this.#join(), pauseMs);
  }

  #lose(why: keyof typeof problems): void {
    this.#options.onState({ kind: 'lost', problem: problems[why] });
  }

  #hear(message: FromRelay): void {
    switch (message.type) {
      case 'ROOM':
        this.#failures = 0;
        this.#iceServers = [...this.#settings.iceServers, ...message.payload.iceServers];
        return this.#options.onState({ kind: 'open', problem: null });
      case 'RELAY':
        return void this.#meet(message.payload);
      case 'OFFER':
        return this.#accept(message);
      case 'CANDIDATE': {
        const { signal } = message.payload;
        void this.#pending.get(`${message.src} ${signal.call}`)?.hear(signal);
      }
    }
  }

  #admits(ticket: string): boolean {
    const { code } = this.#options;
    const { secret, allowsTyping } = this.#terms;
    if (this.#pending.size >= MAX_PENDING || (readTicket(ticket)?.via === 'code' && !allowsTyping)) return false;
    return checkTicket(verifierOf(secret, code), code, ticket, Date.now()) === 'valid';
  }

  #accept({ src, payload: { ticket, signal } }: Extract<FromRelay, { type: 'OFFER' }>): void {
    const key = `${src} ${signal.call}`;
    const { openRtc } = this.#runtime;
    if (openRtc === null || this.#pending.has(key) || !this.#admits(ticket)) return;
    const forget = () => this.#pending.delete(key);
    try {
      const connection = new Connection(signal.call, openRtc, this.#iceServers, {
        send: (answer) => this.#socket?.send(signalMessage(answer, src)),
        onLink: (link, fingerprints) => void this.#welcome(link, ticket, fingerprints).then(forget),
        onFailed: forget,
        onGone: forget,
      });
      this.#pending.set(key, connection);
      void connection.hear(signal);
    } catch {
      // The runtime makes no more connections just now: the worker has another way, or asks again.
    }
  }

  /** A worker that found no direct way waits at the relay. */
  async #meet({ link: name, ticket }: { link: string; ticket: string }): Promise<void> {
    if (this.#pending.has(name) || !this.#admits(ticket)) return;
    this.#pending.set(name, null);
    try {
      const url = socketUrl(this.#settings.relayUrl, 'relay', { link: name });
      const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(MEET_MS)]);
      await this.#welcome(await RelayLink.open(this.#runtime.openSocket, url, signal), ticket, null);
    } catch {
      // The worker, or the relay, is gone meanwhile: it asks again.
    } finally {
      this.#pending.delete(name);
    }
  }

  /** Hands the link on once its other end has shown that it was invited. */
  async #welcome(link: BareLink, ticket: string, fingerprints: Fingerprints | null): Promise<void> {
    const { code, isBanned, onLink } = this.#options;
    this.#links = [...this.#links.filter(({ isEnded }) => !isEnded), link];
    const proof = proofFor(this.#terms.secret, code, ticket);
    // One that is refused is closed by the handshake; whoever it was hears why, if it was invited.
    const proven = await greetWorker(link, { proof, fingerprints, isBanned }).catch(() => null);
    if (this.#closing.signal.aborted) proven?.close();
    else if (proven !== null) onLink(proven);
  }
}

type EndReason = Parameters<SignalHandlers['onEnd']>[0];

const problems = {
  taken: 'This code is in use, perhaps by this host before it was started again. Trying again.',
  'host-key':
    'This relay opens rooms only for those who know its key: add hostKey=… to the part after # in the address.',
  lost: 'The signalling server cannot be reached. Trying again; workers that are connected go on.',
  'no-webrtc': 'This browser has no WebRTC, or it is switched off.',
} as const satisfies Record<EndReason | 'no-webrtc', string>;

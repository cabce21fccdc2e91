import { errorText } from '../experiment/error-text.ts';
import { openBrowserRtc } from './link/browser-rtc.ts';
import { Connection } from './link/connection.ts';
import type { CountedLink } from './link/link.ts';
import { type IceServer, newCall, readSignal, type Signal } from './link/signal.ts';

/** Chromium gives a tab 500 connections, and those to the host are among them. */
export const MAX_CONNECTIONS = 64;
/** Closed connections count among the 500 until their memory is collected; no peer needs this many new ones. */
export const MAX_CALLS_PER_MINUTE = 16;

export interface MeshOptions {
  readonly iceServers: readonly IceServer[];
  /** Gives a text to a peer's `signal`, in order. */
  send(peer: number, signal: string): void;
  /** A connection is open, whoever called; its end is told by the link. */
  onLink(peer: number, link: CountedLink): void;
  /** A connection did not open, in words; never after `drop` or for one that another replaced. */
  onFailed(peer: number, why: string): void;
}

/** Direct links between pages that can already send each other short texts. One link per peer at most. */
export class Mesh {
  readonly #options: MeshOptions;
  readonly #connections = new Map<number, Connection>();
  /** Including those that were replaced or dropped and still tell the other side so. */
  readonly #live = new Set<Connection>();
  readonly #heard = new Map<number, { sinceMs: number; count: number }>();
  #expected: ReadonlySet<number> = new Set();
  #isClosed = false;

  constructor(options: MeshOptions) {
    this.#options = options;
  }

  /** The only peers whose offers are heard, until the next call. */
  expect(peers: readonly number[]): void {
    this.#expected = new Set(peers);
    for (const peer of this.#heard.keys()) if (!this.#expected.has(peer)) this.#heard.delete(peer);
  }

  /** Calls a peer that expects it. Does nothing where a link is open or on its way, from either side. */
  connect(peer: number): void {
    if (this.#isClosed || this.#connections.get(peer)?.isUseful) return;
    void this.#begin(peer, newCall())?.offer();
  }

  /** A text from the peer's mesh. What is malformed, late or uninvited is ignored; a new offer replaces an old link. */
  signal(from: number, text: string): void {
    const signal = readSignal(text);
    if (this.#isClosed || signal === null) return;
    const current = this.#connections.get(from);
    if (signal.kind !== 'offer') {
      if (current?.call === signal.call) void current.hear(signal);
    } else if (this.#isWelcome(from, signal, current)) {
      void this.#begin(from, signal.call)?.hear(signal);
    }
  }

  /** Ends the link or the call, if there is one. */
  drop(peer: number, reason?: string): void {
    this.#connections.get(peer)?.end(reason);
    this.#connections.delete(peer);
  }

  /** Ends everything for good. */
  close(): void {
    this.#isClosed = true;
    for (const connection of this.#live) connection.abort();
    this.#connections.clear();
  }

  #begin(peer: number, call: number): Connection | null {
    const { iceServers, send, onLink, onFailed } = this.#options;
    this.drop(peer, 'replaced by a new connection');
    try {
      if (this.#live.size >= MAX_CONNECTIONS)
        throw new Error(`this tab has ${MAX_CONNECTIONS} links to other workers already`);
      const started = new Connection(call, openBrowserRtc, iceServers, {
        send: (signal) => send(peer, JSON.stringify(signal)),
        onLink: (link) => onLink(peer, link),
        onFailed: (_, why) => onFailed(peer, why),
        onGone: () => {
          this.#live.delete(started);
          if (this.#connections.get(peer) === started) this.#connections.delete(peer);
        },
      });
      this.#live.add(started);
      this.#connections.set(peer, started);
      return started;
    } catch (error) {
      queueMicrotask(() => onFailed(peer, `no connection could be made: ${errorText(error)}`));
      return null;
    }
  }

  #isWelcome(from: number, { call }: Signal, current: Connection | undefined): boolean {
    if (!this.#expected.has(from)) return false;
    // Both called at once: both keep the call with the smaller number.
    if (current?.isUnanswered && current.call < call) return false;
    const now = performance.now();
    const before = this.#heard.get(from);
    const window = before === undefined || now - before.sinceMs > 60_000 ? { sinceMs: now, count: 0 } : before;
    window.count += 1;
    this.#heard.set(from, window);
    return window.count <= MAX_CALLS_PER_MINUTE;
  }
}

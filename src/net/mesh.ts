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
  readonly send: (peer: number, signal: string) => void;
  /** A connection is open, whoever called; its end is told by the link. */
  readonly onLink: (peer: number, link: CountedLink) => void;
  /** A connection did not open, in words; never after `drop` or for one that another replaced. */
  readonly onFailed: (peer: number, why: string) => void;
}

/** Direct links between pages that can already send each other short texts. One link per peer at most. */
export interface Mesh {
  /** The only peers whose offers are heard, until the next call. */
  expect(peers: readonly number[]): void;
  /** Calls a peer that expects it. Does nothing where a link is open or on its way, from either side. */
  connect(peer: number): void;
  /** A text from the peer's mesh. What is malformed, late or uninvited is ignored; a new offer replaces an old link. */
  signal(from: number, text: string): void;
  /** Ends the link or the call, if there is one. */
  drop(peer: number): void;
  /** Ends everything for good. */
  close(): void;
}

export function createMesh({ iceServers, send, onLink, onFailed }: MeshOptions): Mesh {
  const connections = new Map<number, Connection>();
  /** Including those that were replaced or dropped and still tell the other side so. */
  const live = new Set<Connection>();
  const heard = new Map<number, { sinceMs: number; count: number }>();
  let expected: ReadonlySet<number> = new Set();
  let isClosed = false;

  function begin(peer: number, call: number): Connection | null {
    connections.get(peer)?.end('replaced by a new connection');
    connections.delete(peer);
    try {
      if (live.size >= MAX_CONNECTIONS)
        throw new Error(`this tab has ${MAX_CONNECTIONS} links to other workers already`);
      const started = new Connection(call, openBrowserRtc, iceServers, {
        send: (signal) => send(peer, JSON.stringify(signal)),
        onLink: (link) => onLink(peer, link),
        onFailed: (_, why) => onFailed(peer, why),
        onGone() {
          live.delete(started);
          if (connections.get(peer) === started) connections.delete(peer);
        },
      });
      live.add(started);
      connections.set(peer, started);
      return started;
    } catch (error) {
      queueMicrotask(() => onFailed(peer, `no connection could be made: ${errorText(error)}`));
      return null;
    }
  }

  function isWelcome(from: number, { call }: Signal): boolean {
    if (!expected.has(from)) return false;
    const current = connections.get(from);
    // Both called at once: both keep the call with the smaller number.
    if (current?.isUnanswered && current.call < call) return false;
    const now = performance.now();
    const before = heard.get(from);
    const window = before === undefined || now - before.sinceMs > 60_000 ? { sinceMs: now, count: 0 } : before;
    window.count += 1;
    heard.set(from, window);
    return window.count <= MAX_CALLS_PER_MINUTE;
  }

  return {
    expect(peers) {
      expected = new Set(peers);
      for (const peer of heard.keys()) if (!expected.has(peer)) heard.delete(peer);
    },
    connect(peer) {
      if (isClosed || connections.get(peer)?.isUseful) return;
      void begin(peer, newCall())?.offer();
    },
    signal(from, text) {
      const signal = readSignal(text);
      if (isClosed || signal === null) return;
      if (signal.kind === 'offer') {
        if (isWelcome(from, signal)) void begin(from, signal.call)?.hear(signal);
      } else {
        const current = connections.get(from);
        if (current?.call === signal.call) void current.hear(signal);
      }
    },
    drop(peer) {
      connections.get(peer)?.end();
      connections.delete(peer);
    },
    close() {
      isClosed = true;
      for (const each of live) each.abort();
      connections.clear();
    },
  };
}

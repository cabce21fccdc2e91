import * as z from 'zod/mini';
import { ChannelLink, type PeerLink } from './link/channel-link.ts';

/** Chromium gives a tab 500 connections, and those to the host are among them. */
export const MAX_CONNECTIONS = 64;
/** Closed connections count among the 500 until their memory is collected; no peer needs this many new ones. */
export const MAX_CALLS_PER_MINUTE = 16;
/** From the offer to an open channel. On a LAN it takes well under one second. */
const CONNECT_MS = 10_000;
/** On a LAN all addresses are known within a few ms; those that a distant server tells follow one by one. */
const GATHER_MS = 200;
const MAX_CANDIDATES = 32;
/** A description of one data channel has about 1,000. */
export const MAX_SIGNAL_CHARS = 16_384;

const call = z.int().check(z.minimum(0), z.maximum(2 ** 32 - 1));
/** One data channel and nothing else: for media a browser would start codecs. */
const isDataOnly = (sdp: string): boolean => sdp.match(/^m=.{0,11}/gm)?.join() === 'm=application';
const sdp = z.string().check(z.refine(isDataOnly));
const signalSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('offer'), call, sdp }),
  z.object({ kind: z.literal('answer'), call, sdp }),
  z.object({ kind: z.literal('candidate'), call, candidate: z.string().check(z.maxLength(512)) }),
]);
/** What two meshes say to each other before they are connected. `call` names the offer that it belongs to. */
export type Signal = z.infer<typeof signalSchema>;

/** The signal in a text of any origin, or null. */
export function readSignal(text: string): Signal | null {
  if (text.length > MAX_SIGNAL_CHARS) return null;
  try {
    return signalSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

export interface MeshOptions {
  readonly iceServers: readonly RTCIceServer[];
  /** Gives a text to a peer's `signal`, in order. */
  readonly send: (peer: number, signal: string) => void;
  /** A connection is open, whoever called; its end is told by the link. */
  readonly onLink: (peer: number, link: PeerLink) => void;
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
  const calls = new Map<number, Call>();
  /** Including those that were replaced or dropped and still tell the other side so. */
  const live = new Set<Call>();
  const heard = new Map<number, { sinceMs: number; count: number }>();
  let expected: ReadonlySet<number> = new Set();
  let isClosed = false;

  function begin(peer: number, id: number): Call | null {
    calls.get(peer)?.end('replaced by a new connection');
    calls.delete(peer);
    try {
      if (live.size >= MAX_CONNECTIONS)
        throw new Error(`this tab has ${MAX_CONNECTIONS} links to other workers already`);
      const started = new Call(id, iceServers, {
        send: (signal) => send(peer, JSON.stringify(signal)),
        onLink: (link) => onLink(peer, link),
        onFailed: (why) => onFailed(peer, why),
        onGone() {
          live.delete(started);
          if (calls.get(peer) === started) calls.delete(peer);
        },
      });
      live.add(started);
      calls.set(peer, started);
      return started;
    } catch (error) {
      queueMicrotask(() => onFailed(peer, `no connection could be made: ${wordsOf(error)}`));
      return null;
    }
  }

  function isWelcome(from: number, offer: number): boolean {
    if (!expected.has(from)) return false;
    const current = calls.get(from);
    // Both called at once: both keep the call with the smaller number.
    if (current?.isUnanswered && current.id < offer) return false;
    const now = performance.now();
    const before = heard.get(from);
    const window = before === undefined || now - before.sinceMs > 60_000 ? { sinceMs: now, count: 0 } : before;
    window.count += 1;
    heard.set(from, window);
    return window.count <= MAX_CALLS_PER_MINUTE;
  }

  // Without it a closed tab says nothing, and the other side waits for ICE to notice: more than ten seconds.
  const hangUp = (): void => {
    for (const each of live) each.abort();
    calls.clear();
  };
  addEventListener('pagehide', hangUp);

  return {
    expect(peers) {
      expected = new Set(peers);
      for (const peer of heard.keys()) if (!expected.has(peer)) heard.delete(peer);
    },
    connect(peer) {
      if (isClosed || calls.get(peer)?.isUseful) return;
      const [id = 0] = crypto.getRandomValues(new Uint32Array(1));
      void begin(peer, id)?.offer();
    },
    signal(from, text) {
      const signal = readSignal(text);
      if (isClosed || signal === null) return;
      if (signal.kind === 'offer') {
        if (isWelcome(from, signal.call)) void begin(from, signal.call)?.answer(signal.sdp);
        return;
      }
      const current = calls.get(from);
      if (current?.id !== signal.call) return;
      if (signal.kind === 'answer') void current.answered(signal.sdp);
      else void current.candidate(signal.candidate);
    },
    drop(peer) {
      calls.get(peer)?.end();
      calls.delete(peer);
    },
    close() {
      isClosed = true;
      removeEventListener('pagehide', hangUp);
      hangUp();
    },
  };
}

interface CallEvents {
  send(signal: Signal): void;
  onLink(link: PeerLink): void;
  onFailed(why: string): void;
  /** Called once, when the connection is closed. */
  onGone(): void;
}

type CallState =
  /** `isUnanswered` while an offer of this side waits. */
  | { readonly kind: 'opening'; readonly isUnanswered: boolean }
  | { readonly kind: 'open'; readonly link: ChannelLink }
  | { readonly kind: 'over' };

/** One connection, from the offer to its end. Its asynchronous methods never reject. */
class Call {
  readonly id: number;
  readonly #events: CallEvents;
  readonly #connection: RTCPeerConnection;
  readonly #timer: ReturnType<typeof setTimeout>;
  #state: CallState = { kind: 'opening', isUnanswered: false };
  #early: string[] = [];
  #candidates = 0;
  #isDescribed = false;

  constructor(id: number, iceServers: readonly RTCIceServer[], events: CallEvents) {
    this.id = id;
    this.#events = events;
    const connection = new RTCPeerConnection({ iceServers: [...iceServers] });
    this.#connection = connection;
    // Made alike on both sides, so that neither has to take a channel as the other made it.
    const channel = connection.createDataChannel('manyhands', { negotiated: true, id: 0 });
    channel.addEventListener('open', () => this.#open(channel));
    connection.addEventListener('icecandidate', ({ candidate }) => {
      if (this.#isDescribed && candidate !== null && this.isOpening) {
        events.send({ kind: 'candidate', call: id, candidate: candidate.candidate });
      }
    });
    connection.addEventListener('connectionstatechange', () => {
      if (connection.connectionState === 'failed') this.#fail('no way to the other tab was found');
    });
    this.#timer = setTimeout(() => {
      const isKnown = connection.remoteDescription !== null;
      this.#fail(isKnown ? 'no way to the other tab was found in time' : 'the other tab did not answer in time');
    }, CONNECT_MS);
  }

  get isOpening(): boolean {
    return this.#state.kind === 'opening';
  }

  /** Whether there is a link or may yet be one. */
  get isUseful(): boolean {
    return this.#state.kind === 'open' ? !this.#state.link.isEnded : this.isOpening;
  }

  get isUnanswered(): boolean {
    return this.#state.kind === 'opening' && this.#state.isUnanswered;
  }

  async offer(): Promise<void> {
    this.#state = { kind: 'opening', isUnanswered: true };
    await this.#attempt(() => this.#describe('offer'));
  }

  async answer(offer: string): Promise<void> {
    await this.#attempt(async () => {
      await this.#hear({ type: 'offer', sdp: offer });
      await this.#describe('answer');
    });
  }

  async answered(answer: string): Promise<void> {
    if (!this.isUnanswered) return;
    this.#state = { kind: 'opening', isUnanswered: false };
    await this.#attempt(() => this.#hear({ type: 'answer', sdp: answer }));
  }

  async candidate(candidate: string): Promise<void> {
    this.#candidates += 1;
    if (!this.isOpening || this.#candidates > MAX_CANDIDATES) return;
    if (this.#connection.remoteDescription === null) this.#early.push(candidate);
    else await this.#add(candidate);
  }

  /** Ends it in good order: the other side is told, and the connection goes soon after. */
  end(reason?: string): void {
    if (this.#state.kind === 'open') this.#state.link.close(reason);
    else this.#finish();
  }

  /** Ends it at once. */
  abort(): void {
    this.end();
    this.#connection.close();
  }

  #open(channel: RTCDataChannel): void {
    if (!this.isOpening) return;
    clearTimeout(this.#timer);
    const link = new ChannelLink(this.#connection, channel, () => this.#finish());
    this.#state = { kind: 'open', link };
    this.#events.onLink(link);
  }

  #fail(why: string): void {
    if (!this.isOpening) return;
    this.#finish();
    this.#events.onFailed(why);
  }

  #finish(): void {
    if (this.#state.kind === 'over') return;
    this.#state = { kind: 'over' };
    clearTimeout(this.#timer);
    this.#connection.close();
    this.#events.onGone();
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#fail(`the connection could not be set up: ${wordsOf(error)}`);
    }
  }

  async #hear(description: RTCSessionDescriptionInit): Promise<void> {
    await this.#connection.setRemoteDescription(description);
    await Promise.all(this.#early.splice(0).map((candidate) => this.#add(candidate)));
  }

  async #add(candidate: string): Promise<void> {
    // One that this browser cannot use is no reason to give up the others.
    await this.#connection.addIceCandidate({ candidate, sdpMLineIndex: 0 }).catch(() => {});
  }

  /** Sends this side's description with the addresses that are known soon; later ones follow by themselves. */
  async #describe(kind: 'offer' | 'answer'): Promise<void> {
    await this.#connection.setLocalDescription();
    await gathered(this.#connection);
    if (!this.isOpening) return;
    this.#isDescribed = true;
    this.#events.send({ kind, call: this.id, sdp: this.#connection.localDescription?.sdp ?? '' });
  }
}

function gathered(connection: RTCPeerConnection): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, GATHER_MS);
    const look = (): void => {
      if (connection.iceGatheringState !== 'complete') return;
      clearTimeout(timer);
      resolve();
    };
    connection.addEventListener('icegatheringstatechange', look);
    look();
  });
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

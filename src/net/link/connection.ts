import { errorText } from '../../experiment/error-text.ts';
import type { DataChannelLink } from './data-channel-link.ts';
import type { Fingerprints, IceServer, Signal } from './signal.ts';

/** From the offer to an open channel. On a LAN it takes well under one second. */
const CONNECT_MS = 10_000;
const MAX_CANDIDATES = 32;

/** A runtime's WebRTC: one connection with one data channel, which both ends make alike. */
export interface Rtc {
  /** Makes this side's description; what it gives is to be sent. */
  describe(kind: 'offer' | 'answer'): Promise<string>;
  /** Takes the other side's description; rejects if it cannot be used. */
  accept(kind: 'offer' | 'answer', sdp: string): Promise<void>;
  /** One more way to the other side, once its description is known; one that cannot be used is passed over. */
  addCandidate(candidate: string): void;
  /** As this runtime has read both descriptions, which is what it checks the other side's certificate by. */
  fingerprints(): Fingerprints | null;
  /** The link over the channel, once that is open. */
  link(onGone: () => void): DataChannelLink;
  close(): void;
}

export interface RtcEvents {
  onOpen(): void;
  /** A way to this side that its description does not name. */
  onCandidate(candidate: string): void;
  onFailed(): void;
  /** The page goes away. */
  onLeave(): void;
}

export type OpenRtc = (iceServers: readonly IceServer[], events: RtcEvents) => Rtc;

export interface ConnectionEvents {
  /** To be given to the other side, in order. */
  send(signal: Signal): void;
  onLink(link: DataChannelLink, fingerprints: Fingerprints): void;
  /** It did not open: the other side said nothing, or no way to it was found. Not called after `end` or `abort`. */
  onFailed(code: FailureCode, why: string): void;
  /** Called once, when the connection is closed. */
  onGone(): void;
}

type FailureCode = 'unanswered' | 'no-way';

type ConnectionState =
  /** `isUnanswered` while an offer of this side waits. */
  | { readonly kind: 'opening'; readonly isUnanswered: boolean }
  | { readonly kind: 'open'; readonly link: DataChannelLink }
  | { readonly kind: 'over' };

/** One connection, from the offer to its end. Its asynchronous methods never reject. */
export class Connection {
  /** Of the offer that it began with. */
  readonly call: number;
  readonly #events: ConnectionEvents;
  readonly #rtc: Rtc;
  readonly #timer: ReturnType<typeof setTimeout>;
  #state: ConnectionState = { kind: 'opening', isUnanswered: false };
  #isDescribed = false;
  #isAccepted = false;
  /** The other side's, until its description is accepted. */
  #early: string[] = [];
  /** This side's, until both are described: with them the other end could begin DTLS before it is known here. */
  #held: string[] = [];
  #candidates = 0;
  #negotiation: Promise<void> = Promise.resolve();

  /** Throws where the runtime makes no more connections. */
  constructor(call: number, openRtc: OpenRtc, iceServers: readonly IceServer[], events: ConnectionEvents) {
    this.call = call;
    this.#events = events;
    this.#rtc = openRtc(iceServers, {
      onOpen: () => void this.#open(),
      onCandidate: (candidate) => {
        this.#held.push(candidate);
        this.#release();
      },
      onFailed: () => this.#fail('no-way', 'no way to the other tab was found'),
      onLeave: () => this.abort(),
    });
    this.#timer = setTimeout(() => {
      if (this.#isAccepted) this.#fail('no-way', 'no way to the other tab was found in time');
      else this.#fail('unanswered', 'the other tab did not answer in time');
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

  offer(): Promise<void> {
    this.#state = { kind: 'opening', isUnanswered: true };
    return this.#attempt(() => this.#describe('offer'));
  }

  /** The other side said this, in a signal of this call. What comes at the wrong time is ignored. */
  hear(signal: Signal): Promise<void> {
    switch (signal.kind) {
      case 'offer':
        return this.#attempt(async () => {
          await this.#accept('offer', signal.sdp);
          await this.#describe('answer');
        });
      case 'answer':
        if (!this.isUnanswered) return this.#negotiation;
        this.#state = { kind: 'opening', isUnanswered: false };
        return this.#attempt(() => this.#accept('answer', signal.sdp));
      case 'candidate':
        this.#candidates += 1;
        if (this.isOpening && this.#candidates <= MAX_CANDIDATES) {
          if (this.#isAccepted) this.#rtc.addCandidate(signal.candidate);
          else this.#early.push(signal.candidate);
        }
        return this.#negotiation;
      default:
        return signal satisfies never;
    }
  }

  /** Ends it in good order: the other side is told, and the connection goes soon after. */
  end(reason?: string): void {
    if (this.#state.kind === 'open') this.#state.link.close(reason);
    else this.#finish();
  }

  /** Ends it at once. */
  abort(): void {
    if (this.#state.kind === 'open') this.#state.link.abandon();
    else this.#finish();
  }

  async #open(): Promise<void> {
    if (!this.isOpening) return;
    clearTimeout(this.#timer);
    const link = this.#rtc.link(() => this.#finish());
    this.#state = { kind: 'open', link };
    // A channel may open before its page learns that both descriptions are set (seen in Chromium under load).
    await this.#negotiation;
    const fingerprints = this.#rtc.fingerprints();
    if (link.isEnded) return;
    if (fingerprints !== null) return this.#events.onLink(link, fingerprints);
    link.abandon();
    this.#events.onFailed('no-way', 'the connection has no fingerprints');
  }

  #fail(code: FailureCode, why: string): void {
    if (!this.isOpening) return;
    this.#finish();
    this.#events.onFailed(code, why);
  }

  #finish(): void {
    if (this.#state.kind === 'over') return;
    this.#state = { kind: 'over' };
    clearTimeout(this.#timer);
    this.#rtc.close();
    this.#events.onGone();
  }

  #attempt(work: () => Promise<void>): Promise<void> {
    this.#negotiation = work().catch((error: unknown) =>
      this.#fail('no-way', `the connection could not be set up: ${errorText(error)}`),
    );
    return this.#negotiation;
  }

  async #accept(kind: 'offer' | 'answer', sdp: string): Promise<void> {
    await this.#rtc.accept(kind, sdp);
    this.#isAccepted = true;
    for (const candidate of this.#early.splice(0)) this.#rtc.addCandidate(candidate);
    this.#release();
  }

  async #describe(kind: 'offer' | 'answer'): Promise<void> {
    const sdp = await this.#rtc.describe(kind);
    if (!this.isOpening) return;
    this.#isDescribed = true;
    this.#events.send({ kind, call: this.call, sdp });
    this.#release();
  }

  #release(): void {
    if (!this.#isDescribed || !this.#isAccepted) return;
    for (const candidate of this.#held.splice(0)) {
      if (this.isOpening) this.#events.send({ kind: 'candidate', call: this.call, candidate });
    }
  }
}

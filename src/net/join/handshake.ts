import { BaseLink } from '../link/base-link.ts';
import type { Link, TransportStats } from '../link/link.ts';
import { isSame, mac } from './invite.ts';

/*
 * HOW A WORKER GETS IN. Everything below is DOM-free: a tab and a Node host use the same files.
 *
 * 1. The host opens a WebSocket to the relay: <signalling>/peerjs?key=manyhands&id=manyhands-host-<code>&token=<own>.
 *    The relay answers OPEN (or ID-TAKEN: another token has the code). The same token takes a half-open socket over.
 * 2. The host sends {type: 'ROOM', payload: {verifier, allowsTyping}} (RoomPayload; invite.ts: verifierOf). The relay
 *    answers {type: 'ROOM', payload: {iceServers}}: from then on workers can come. A host may send ROOM again at any
 *    time: with another verifier old invites stop working; `iceServers` come fresh (TURN credentials run out).
 * 3. A worker asks POST /signal/join with {code, ticket} (JoinRequest; ticket null: the code was typed) and hears
 *    JoinAnswer: ICE servers, and for a typed code an invite. It then opens
 *    <signalling>/peerjs?key=manyhands&id=manyhands-worker-<random>&token=<code>.<ticket>.
 *    A socket with a wrong ticket is refused with 403. A worker's messages go to its host only, a host's to its workers.
 * 4. The worker's OFFER has payload.metadata = {ticket}. The host asks `isWelcome(message, pending, hasConnection, admits)`
 *    of offer-guard.ts, with `admits(ticket)` = checkTicket(verifierOf(secret, code), code, ticket, now) is 'valid' (and
 *    viaOf(ticket) is 'link' where typing is not allowed), before it makes a connection.
 * 5. The channel opens. The worker calls greetHost, the host greetWorker, over the bare link; both resolve to a
 *    ProvenLink, whose frames are the app's, or reject with a HandshakeError and the bare link closed. The keys:
 *    `proof` = readInvite(text).proof at the worker, proofFor(secret, code, ticket) at the host; `prints` =
 *    printsOf(localSdp, remoteSdp) over WebRTC.
 * 6. Where ICE finds no way, the worker opens /relay?token=<code>.<ticket>. The host hears
 *    {type: 'RELAY', src, payload: {link, ticket}}, checks the ticket as in 4 and opens /relay?link=<link>. Both wrap
 *    their socket in a RelayLink (relay-link.ts) and go on with 5, `prints` null: the relay carries the frames and
 *    could read them.
 *
 * The handshake (each frame: magic 'MHhs', kind, then as listed; little surprises by fixed lengths):
 *   worker → host   HELLO   nonce 16, device 16
 *   host → worker   ANSWER  nonce 16, verdict 1 (0 come in, 1 removed), mac 32 (role 'host')
 *   worker → host   PROOF   mac 32 (role 'worker')
 * mac = HMAC-SHA256(proof, role, both nonces, device, verdict, worker's and host's DTLS fingerprints): nobody can stand
 * between with connections of its own, play a recording, or mirror one side to itself.
 */

/** How long the other side may take to prove itself. */
export const HANDSHAKE_MS = 2000;

export interface RoomPayload {
  readonly verifier: string;
  /** Whether the relay may give an invite to whoever knows the code. */
  readonly allowsTyping: boolean;
}

/** As browsers and node-datachannel take them. */
export interface IceServer {
  readonly urls: string;
  readonly username?: string;
  readonly credential?: string;
}

export interface JoinRequest {
  readonly code: string;
  readonly ticket: string | null;
}

export const joinRefusals = ['no-host', 'not-invited', 'expired', 'code-off', 'too-many-tries'] as const;
export type JoinRefusal = (typeof joinRefusals)[number];

export type JoinAnswer =
  | { readonly kind: 'welcome'; readonly invite: string | null; readonly iceServers: readonly IceServer[] }
  | { readonly kind: 'refused'; readonly why: JoinRefusal };

/** Whether frames go from peer to peer, or through the relay. */
export type Route = 'direct' | 'relayed';

/** A link that counts for itself. */
export interface CountedLink extends Link {
  stats(): Promise<TransportStats>;
}

/** A link whose both ends have shown that they know the invite. */
export interface ProvenLink extends CountedLink {
  readonly isEnded: boolean;
  readonly route: Route;
  /** The worker's browser or process in this room, whoever it is: what a removal holds on to. */
  readonly device: string;
}

export type HandshakeCode = 'not-the-host' | 'not-invited' | 'removed' | 'no-answer';

/** Why a link was closed before it carried anything. */
export class HandshakeError extends Error {
  readonly code: HandshakeCode;

  constructor(code: HandshakeCode, message: string) {
    super(message);
    this.name = 'HandshakeError';
    this.code = code;
  }
}

/** The DTLS fingerprints of both ends of a connection. */
export interface Prints {
  readonly local: string;
  readonly remote: string;
}

interface Common {
  readonly proof: Uint8Array;
  /** Null for a link that has none: then the relay in between is trusted not to listen. */
  readonly prints: Prints | null;
  readonly route: Route;
}

/** Proves this worker to its host and lets the host prove itself. `device` is 16 bytes as hex (deviceFor). */
export function greetHost(link: CountedLink, how: Common & { readonly device: string }): Promise<ProvenLink> {
  return new Promise((resolve, reject) => {
    const { proof, prints, device } = how;
    const mine = randomNonce();
    const finish = attend(link, reject, 'the host', (frame) => {
      const answer = read(frame, ANSWER, ANSWER_BYTES);
      if (answer === null) return finish.refuse('not-the-host', 'the other side does not speak as a host does');
      const [theirs, verdict, shown] = [answer.slice(0, 16), answer[16] ?? 0, answer.slice(17)];
      const bound = [mine, theirs, fromHex(device), Uint8Array.of(verdict), prints?.local ?? '', prints?.remote ?? ''];
      if (!isSame(shown, mac(proof, 'host', ...bound)))
        return finish.refuse('not-the-host', 'the other side does not know the invite');
      if (verdict !== COME_IN) return finish.refuse('removed', 'the host removed this device');
      link.send(frameOf(PROOF, mac(proof, 'worker', ...bound)));
      const overhead = { messagesSent: 2, bytesSent: HELLO_BYTES + PROOF_BYTES };
      resolve(finish.open(how, device, { ...overhead, messagesReceived: 1, bytesReceived: ANSWER_BYTES }));
    });
    link.send(frameOf(HELLO, mine, fromHex(device)));
  });
}

/** Proves this host to a worker and lets the worker prove itself; a device that is banned is told so and closed. */
export function greetWorker(
  link: CountedLink,
  how: Common & { isBanned(device: string): boolean },
): Promise<ProvenLink> {
  return new Promise((resolve, reject) => {
    const { proof, prints } = how;
    const mine = randomNonce();
    let device = '';
    let expected: Uint8Array | null = null;
    const finish = attend(link, reject, 'the worker', (frame) => {
      if (expected === null) {
        const hello = read(frame, HELLO, HELLO_BYTES);
        if (hello === null) return finish.refuse('not-invited', 'the other side does not speak as a worker does');
        device = toHex(hello.slice(16));
        const verdict = Uint8Array.of(how.isBanned(device) ? REMOVED : COME_IN);
        const bound = [hello.slice(0, 16), mine, hello.slice(16), verdict, prints?.remote ?? '', prints?.local ?? ''];
        expected = mac(proof, 'worker', ...bound);
        link.send(frameOf(ANSWER, mine, verdict, mac(proof, 'host', ...bound)));
        return;
      }
      const shown = read(frame, PROOF, PROOF_BYTES);
      if (shown === null || !isSame(shown, expected))
        return finish.refuse('not-invited', 'the other side does not know the invite');
      if (how.isBanned(device)) return finish.refuse('removed', 'this device was removed');
      const overhead = { messagesReceived: 2, bytesReceived: HELLO_BYTES + PROOF_BYTES };
      resolve(finish.open(how, device, { ...overhead, messagesSent: 1, bytesSent: ANSWER_BYTES }));
    });
  });
}

/** The fingerprints that two session descriptions name; null where one names none. */
export function printsOf(localSdp: string | undefined, remoteSdp: string | undefined): Prints | null {
  const [local, remote] = [localSdp, remoteSdp].map((sdp) => /^a=fingerprint:(\S+ \S+)/m.exec(sdp ?? '')?.[1]);
  return local && remote ? { local: local.toLowerCase(), remote: remote.toLowerCase() } : null;
}

/** A browser's name in one room: the same each time, and of no use to recognise it in another room. */
export const deviceFor = (deviceSecret: Uint8Array, code: string): string =>
  toHex(mac(deviceSecret, 'device', code).slice(0, 16));

type Overhead = Pick<TransportStats, 'messagesSent' | 'messagesReceived' | 'bytesSent' | 'bytesReceived'>;

/** Hears the bare link until it is proven or refused; whatever else happens to it, or too little, is a refusal. */
function attend(
  link: CountedLink,
  reject: (error: HandshakeError) => void,
  who: string,
  onFrame: (frame: Uint8Array) => void,
) {
  const settle = (): void => {
    clearTimeout(timer);
    link.onFrame = () => {};
    link.onClose = () => {};
  };
  const refuse = (code: HandshakeCode, message: string): void => {
    settle();
    link.close();
    reject(new HandshakeError(code, message));
  };
  const timer = setTimeout(() => refuse('no-answer', `${who} did not prove itself in time`), HANDSHAKE_MS);
  link.onClose = (reason) => refuse('no-answer', `the link ended before ${who} had proven itself: ${reason}`);
  link.onFrame = (frame) => onFrame(new Uint8Array(frame));
  const open = ({ route }: Common, device: string, overhead: Overhead): ProvenLink => {
    settle();
    return new OpenedLink(link, route, device, overhead);
  };
  return { refuse, open };
}

/** The bare link after the handshake, which is left out of its counts. */
class OpenedLink extends BaseLink implements ProvenLink {
  readonly route: Route;
  readonly device: string;
  readonly #bare: CountedLink;
  readonly #overhead: Overhead;

  constructor(bare: CountedLink, route: Route, device: string, overhead: Overhead) {
    super();
    this.route = route;
    this.device = device;
    this.#bare = bare;
    this.#overhead = overhead;
    bare.onFrame = (frame) => this.deliver(frame);
    bare.onLow = () => this.onLow();
    bare.onClose = (reason) => this.end(reason, false);
  }

  get bufferedBytes(): number {
    return this.isEnded ? 0 : this.#bare.bufferedBytes;
  }

  send(frame: ArrayBuffer): void {
    if (!this.isEnded) this.#bare.send(frame);
  }

  close(reason = 'closed on this side'): void {
    if (this.end(reason, true)) this.#bare.close();
  }

  async stats(): Promise<TransportStats> {
    const { roundTripMs, wireBytesSent, wireBytesReceived, ...counts } = await this.#bare.stats();
    const own = (key: keyof Overhead): number => Math.max(0, counts[key] - this.#overhead[key]);
    return {
      messagesSent: own('messagesSent'),
      messagesReceived: own('messagesReceived'),
      bytesSent: own('bytesSent'),
      bytesReceived: own('bytesReceived'),
      wireBytesSent,
      wireBytesReceived,
      roundTripMs,
    };
  }

  protected taken(): void {}
}

const MAGIC = [0x4d, 0x48, 0x68, 0x73] as const;
const [HELLO, ANSWER, PROOF] = [1, 2, 3] as const;
const [COME_IN, REMOVED] = [0, 1] as const;
const HEAD_BYTES = MAGIC.length + 1;
const HELLO_BYTES = HEAD_BYTES + 16 + 16;
const ANSWER_BYTES = HEAD_BYTES + 16 + 1 + 32;
const PROOF_BYTES = HEAD_BYTES + 32;

function frameOf(kind: number, ...parts: readonly Uint8Array[]): ArrayBuffer {
  return Uint8Array.from([...MAGIC, kind, ...parts.flatMap((part) => [...part])]).buffer;
}

/** What follows the head of a frame of this kind and length; null if it is another. */
function read(frame: Uint8Array, kind: number, bytes: number): Uint8Array | null {
  const hasHead = MAGIC.every((byte, at) => frame[at] === byte) && frame[MAGIC.length] === kind;
  return hasHead && frame.length === bytes ? frame.slice(HEAD_BYTES) : null;
}

const randomNonce = (): Uint8Array => crypto.getRandomValues(new Uint8Array(16));

const toHex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

function fromHex(hex: string): Uint8Array {
  if (!/^[0-9a-f]{32}$/.test(hex)) throw new RangeError('a device has 32 hex digits');
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import type { BaseLink } from '../link/base-link.ts';
import type { CountedLink } from '../link/link.ts';
import type { Fingerprints } from '../link/signal.ts';
import { isSame, mac } from './invite.ts';

/*
 * Both ends of a fresh link show that they know the invite's proof (each frame: magic 'MHhs', kind, then as listed):
 *
 *   worker → host   HELLO   nonce 16, device 16
 *   host → worker   ANSWER  nonce 16, verdict 1 (0 come in, 1 removed), mac 32 (role 'host')
 *   worker → host   PROOF   mac 32 (role 'worker')
 *
 * mac = HMAC-SHA256(proof, role, both nonces, device, verdict, worker's and host's DTLS fingerprints): nobody can stand
 * between with connections of its own, play a recording, or mirror one side to itself. All lengths are fixed.
 */

/** How long the other side may take to prove itself. */
export const HANDSHAKE_MS = 2000;

/** Whether frames go from peer to peer, or through the relay. */
export type Route = 'direct' | 'relayed';

/** A link whose other end may be anybody. */
export type BareLink = BaseLink & CountedLink;

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

interface Invited {
  readonly proof: Uint8Array;
  /** Null for a link through the relay, which is trusted not to listen. */
  readonly fingerprints: Fingerprints | null;
}

/** Proves this worker to its host and lets the host prove itself. `device` is 16 bytes as hex (deviceFor). */
export function greetHost(
  link: BareLink,
  { proof, fingerprints, device }: Invited & { readonly device: string },
): Promise<ProvenLink> {
  return new Promise((resolve, reject) => {
    const nonce = randomNonce();
    const handshake = new Handshake(link, reject, 'the host', (frame) => {
      const answer = read(frame, ANSWER, ANSWER_BYTES);
      if (answer === null) return handshake.refuse('not-the-host', 'the other side does not speak as a host does');
      const [theirs, verdict, shown] = [answer.slice(0, 16), answer[16] ?? 0, answer.slice(17)];
      const ends = [fingerprints?.local ?? '', fingerprints?.remote ?? ''];
      const bound = [nonce, theirs, hexToBytes(device), Uint8Array.of(verdict), ...ends];
      if (!isSame(shown, mac(proof, 'host', ...bound)))
        return handshake.refuse('not-the-host', 'the other side does not know the invite');
      if (verdict !== COME_IN) return handshake.refuse('removed', 'the host removed this device');
      handshake.send(PROOF, mac(proof, 'worker', ...bound));
      resolve(handshake.open(fingerprints, device));
    });
    handshake.send(HELLO, nonce, hexToBytes(device));
  });
}

/** Proves this host to a worker and lets the worker prove itself; a device that is banned is told so and closed. */
export function greetWorker(
  link: BareLink,
  { proof, fingerprints, isBanned }: Invited & { isBanned(device: string): boolean },
): Promise<ProvenLink> {
  return new Promise((resolve, reject) => {
    const nonce = randomNonce();
    let greeted: { readonly device: string; readonly proof: Uint8Array } | null = null;
    const handshake = new Handshake(link, reject, 'the worker', (frame) => {
      if (greeted === null) {
        const hello = read(frame, HELLO, HELLO_BYTES);
        if (hello === null) return handshake.refuse('not-invited', 'the other side does not speak as a worker does');
        const [theirs, name] = [hello.slice(0, 16), hello.slice(16)];
        const device = bytesToHex(name);
        const verdict = Uint8Array.of(isBanned(device) ? REMOVED : COME_IN);
        const bound = [theirs, nonce, name, verdict, fingerprints?.remote ?? '', fingerprints?.local ?? ''];
        greeted = { device, proof: mac(proof, 'worker', ...bound) };
        return handshake.send(ANSWER, nonce, verdict, mac(proof, 'host', ...bound));
      }
      const shown = read(frame, PROOF, PROOF_BYTES);
      if (shown === null || !isSame(shown, greeted.proof))
        return handshake.refuse('not-invited', 'the other side does not know the invite');
      if (isBanned(greeted.device)) return handshake.refuse('removed', 'this device was removed');
      resolve(handshake.open(fingerprints, greeted.device));
    });
  });
}

/** A browser's name in one room: the same each time, and of no use to recognise it in another room. */
export const deviceFor = (deviceSecret: Uint8Array, code: string): string =>
  bytesToHex(mac(deviceSecret, 'device', code).slice(0, 16));

/** Hears a bare link until it is proven or refused; whatever else happens to it, or too little, is a refusal. */
class Handshake {
  readonly #link: BareLink;
  readonly #reject: (error: HandshakeError) => void;
  readonly #timer: ReturnType<typeof setTimeout>;

  constructor(
    link: BareLink,
    reject: (error: HandshakeError) => void,
    who: string,
    onFrame: (frame: Uint8Array) => void,
  ) {
    this.#link = link;
    this.#reject = reject;
    this.#timer = setTimeout(() => this.refuse('no-answer', `${who} did not prove itself in time`), HANDSHAKE_MS);
    link.onClose = (reason) => this.refuse('no-answer', `the link ended before ${who} had proven itself: ${reason}`);
    link.onFrame = (frame) => onFrame(new Uint8Array(frame));
  }

  send(kind: number, ...parts: readonly Uint8Array[]): void {
    this.#link.send(concatBytes(Uint8Array.of(...MAGIC, kind), ...parts).buffer);
  }

  refuse(code: HandshakeCode, message: string): void {
    clearTimeout(this.#timer);
    this.#link.onFrame = () => {};
    this.#link.onClose = () => {};
    this.#link.close();
    this.#reject(new HandshakeError(code, message));
  }

  /** The same link, which now says whose it is; the handshake is left out of its counts. */
  open(fingerprints: Fingerprints | null, device: string): ProvenLink {
    clearTimeout(this.#timer);
    this.#link.handOver();
    const route: Route = fingerprints === null ? 'relayed' : 'direct';
    return Object.assign(this.#link, { route, device });
  }
}

const MAGIC = [0x4d, 0x48, 0x68, 0x73] as const;
const [HELLO, ANSWER, PROOF] = [1, 2, 3] as const;
const [COME_IN, REMOVED] = [0, 1] as const;
const HEAD_BYTES = MAGIC.length + 1;
const HELLO_BYTES = HEAD_BYTES + 16 + 16;
const ANSWER_BYTES = HEAD_BYTES + 16 + 1 + 32;
const PROOF_BYTES = HEAD_BYTES + 32;

/** What follows the head of a frame of this kind and length; null if it is another. */
function read(frame: Uint8Array, kind: number, bytes: number): Uint8Array | null {
  const hasHead = MAGIC.every((byte, at) => frame[at] === byte) && frame[MAGIC.length] === kind;
  return hasHead && frame.length === bytes ? frame.slice(HEAD_BYTES) : null;
}

const randomNonce = (): Uint8Array => crypto.getRandomValues(new Uint8Array(16));

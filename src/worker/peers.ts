import type { Rng } from '../core/math/rng.ts';
import type { Received } from '../core/wire/inbox.ts';
import { readToPeer, type ToPeer } from '../core/wire/protocol.ts';
import { tallyBytes } from '../core/wire/traffic.ts';
import type { Conditions } from '../experiment/emulation.ts';
import { type EmulatedLink, emulate } from '../net/link/emulate.ts';
import type { Link } from '../net/link/link.ts';
import { Messenger } from '../net/link/messenger.ts';

export interface PeersDeps {
  now(): number;
  /** For made-up losses and cuts of the next link. */
  random(): Rng;
  onMessage(peer: number, message: ToPeer, body: Uint8Array): void;
  /** The link ended, or carried what is not our protocol. */
  onLost(peer: number): void;
  /** Links to these are needed; those in `calls` are to be called. */
  connect(calls: readonly number[], expects: readonly number[]): void;
}

/** A worker's links to other workers: what is sent to one before its link is there waits for it. */
export class Peers {
  readonly #deps: PeersDeps;
  readonly #links = new Map<number, { readonly link: EmulatedLink; readonly messenger: Messenger }>();
  readonly #waiting = new Map<number, { readonly message: ToPeer; readonly body: Uint8Array }[]>();
  #conditions: Conditions | null = null;
  #bodyBytes = 0;
  #pastBytes = 0;

  constructor(deps: PeersDeps) {
    this.#deps = deps;
  }

  /** Bytes sent to others so far, headers included. */
  get sentBytes(): number {
    let bytes = this.#pastBytes;
    for (const { messenger } of this.#links.values()) bytes += sentBy(messenger);
    return bytes;
  }

  expectBodyBytes(bytes: number): void {
    this.#bodyBytes = bytes;
    for (const { messenger } of this.#links.values()) messenger.expectBodyBytes(bytes);
  }

  setConditions(conditions: Conditions): void {
    this.#conditions = conditions;
    for (const { link } of this.#links.values()) link.setConditions(conditions);
  }

  /** Asks for links that are not there. */
  need(calls: readonly number[], expects: readonly number[]): void {
    const isMissing = (peer: number) => !this.#links.has(peer);
    const wanted = new Set([...calls, ...expects]);
    for (const peer of this.#waiting.keys()) if (!wanted.has(peer)) this.#waiting.delete(peer);
    this.#deps.connect(calls.filter(isMissing), expects);
  }

  send(run: number, peer: number, message: ToPeer, body: Uint8Array): void {
    const open = this.#links.get(peer);
    if (open) return open.messenger.send(kindOf(message), run, message, body);
    const queue = this.#waiting.get(peer) ?? [];
    queue.push({ message, body });
    this.#waiting.set(peer, queue);
  }

  /** The link to a peer is there; one before it ends. */
  attach(peer: number, bare: Link): void {
    this.drop(peer);
    const link = emulate(bare, this.#deps.random(), this.#deps.now);
    if (this.#conditions) link.setConditions(this.#conditions);
    const messenger = new Messenger(link, {
      onMessage: (received) => this.#receive(peer, received),
      onGarbled: () => this.#lose(peer, messenger),
      onClose: () => this.#lose(peer, messenger),
    });
    messenger.expectBodyBytes(this.#bodyBytes);
    this.#links.set(peer, { link, messenger });
    const waiting = this.#waiting.get(peer) ?? [];
    this.#waiting.delete(peer);
    for (const { message, body } of waiting) this.send(message.run, peer, message, body);
  }

  drop(peer: number): void {
    const open = this.#links.get(peer);
    if (!open) return;
    this.#links.delete(peer);
    this.#pastBytes += sentBy(open.messenger);
    open.messenger.close();
  }

  close(): void {
    for (const peer of [...this.#links.keys()]) this.drop(peer);
    this.#waiting.clear();
  }

  #receive(peer: number, { head, body }: Received): void {
    let message: ToPeer;
    try {
      message = readToPeer(head);
    } catch {
      return this.#lose(peer, this.#links.get(peer)?.messenger);
    }
    this.#deps.onMessage(peer, message, body);
  }

  #lose(peer: number, messenger: Messenger | undefined): void {
    if (!messenger || this.#links.get(peer)?.messenger !== messenger) return;
    this.drop(peer);
    this.#deps.onLost(peer);
  }
}

const kindOf = (message: ToPeer) => (message.type === 'slice' ? 'gradients' : 'parameters');
const sentBy = ({ traffic }: Messenger) => tallyBytes(traffic.sent);

import { WebSocket } from 'ws';
import { SIGNALLING_KEY } from '../../net/join/ice.ts';
import { MAX_FRAME_BYTES } from '../../net/link/link.ts';

/** A signalling server drops who says nothing for a minute. */
const BEAT_MS = 5000;
/** How long the server may take to greet. */
const OPEN_MS = 8000;

/** What came through signalling; only that it has a type is known. */
export interface Signal {
  readonly type: string;
  readonly src?: unknown;
  readonly payload?: unknown;
}

export interface SignalHandlers {
  /** The server has our name; messages may be sent from now on. */
  onOpen(): void;
  onSignal(signal: Signal): void;
  /** Called once, when the server is gone, refuses us, or does not greet in time; not after `close`. */
  onEnd(why: 'taken' | 'refused' | 'lost'): void;
}

/** Where a relay is, as this process reaches it. */
export interface RelayAddress {
  /** Its page, e.g. http://127.0.0.1:8080/. */
  readonly url: string;
  /** It is this very process: its certificate needs no judge. */
  readonly isOwn: boolean;
}

/** A WebSocket address of the relay. */
export function addressOn({ url }: RelayAddress, path: string, query: Readonly<Record<string, string>>): URL {
  const address = new URL(path, url);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  address.search = new URLSearchParams(query).toString();
  return address;
}

/** How far a socket to the relay asks for certificates. */
export const trustIn = ({ isOwn }: RelayAddress) => ({ rejectUnauthorized: !isOwn });

/** A connection to a relay's signalling, by this process, as PeerJS has it in a page. */
export class SignalSocket {
  readonly #socket: WebSocket;
  readonly #timers: ReturnType<typeof setInterval>[] = [];
  #isOver = false;

  constructor(relay: RelayAddress, who: { readonly id: string; readonly token: string }, handlers: SignalHandlers) {
    const url = addressOn(relay, 'signal/peerjs', { key: SIGNALLING_KEY, ...who });
    this.#socket = new WebSocket(url, { maxPayload: MAX_FRAME_BYTES, ...trustIn(relay) });
    // Unheard, the event would throw; the close event follows it.
    this.#socket.on('error', () => {});
    const end = (why: 'taken' | 'refused' | 'lost') => {
      if (!this.#finish()) return;
      this.#socket.terminate();
      handlers.onEnd(why);
    };
    const greeting = setTimeout(() => end('lost'), OPEN_MS);
    this.#timers.push(greeting);
    this.#socket.on('unexpected-response', () => end('refused'));
    this.#socket.on('close', () => end('lost'));
    this.#socket.on('message', (data, isBinary) => {
      const signal = isBinary ? null : readSignal(String(data));
      if (signal === null || this.#isOver) return;
      switch (signal.type) {
        case 'OPEN':
          clearTimeout(greeting);
          this.#timers.push(setInterval(() => this.#write({ type: 'HEARTBEAT' }), BEAT_MS));
          return handlers.onOpen();
        case 'ID-TAKEN':
          return end('taken');
        case 'ERROR':
        case 'INVALID-KEY':
          return end('refused');
        default:
          return handlers.onSignal(signal);
      }
    });
  }

  send(type: 'OFFER' | 'ANSWER' | 'CANDIDATE' | 'ROOM', dst: string, payload: object): void {
    this.#write({ type, dst, payload });
  }

  close(): void {
    if (this.#finish()) this.#socket.close();
  }

  #write(value: object): void {
    if (!this.#isOver && this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(value));
  }

  #finish(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    for (const timer of this.#timers) clearInterval(timer);
    return true;
  }
}

function readSignal(text: string): Signal | null {
  try {
    const value: unknown = JSON.parse(text);
    const isSignal = typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
    return isSignal ? (value as Signal) : null;
  } catch {
    return null;
  }
}

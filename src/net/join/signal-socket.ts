import type { OpenRtc } from '../link/connection.ts';
import type { OpenSocket, RelaySocket } from '../link/relay-socket.ts';
import { socketUrl } from './ice.ts';
import { type FromRelay, fromRelaySchema } from './messages.ts';

/** How long the relay may take to greet. */
const OPEN_MS = 8000;
/** Something must be sent now and then, or a connection that is half open is never found out. */
const BEAT_MS = 5000;

/** What joining needs of a page or of a Node process. */
export interface Runtime {
  readonly openSocket: OpenSocket;
  /** Null where WebRTC is missing or switched off. */
  readonly openRtc: OpenRtc | null;
}

export interface SignalHandlers {
  /** The relay has greeted: messages may be sent from now on. */
  onOpen(): void;
  onMessage(message: FromRelay): void;
  /** Called once, when the relay is gone, refuses us, or does not greet in time; not after `close`. */
  onEnd(why: 'taken' | 'host-key' | 'lost'): void;
}

/** A host's or a worker's connection to a relay's signalling. */
export class SignalSocket {
  readonly #socket: RelaySocket;
  readonly #handlers: SignalHandlers;
  readonly #greeting = setTimeout(() => this.#end('lost'), OPEN_MS);
  #beat: ReturnType<typeof setInterval> | undefined;
  #isOver = false;

  constructor(
    { openSocket }: Runtime,
    relayUrl: string,
    peer: { readonly id: string; readonly token: string },
    handlers: SignalHandlers,
  ) {
    this.#handlers = handlers;
    this.#socket = openSocket(socketUrl(relayUrl, 'signal/socket', peer), {
      onOpen() {},
      onMessage: (data) => this.#hear(data),
      onClose: () => this.#end('lost'),
    });
  }

  send(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  close(): void {
    this.#isOver = true;
    clearTimeout(this.#greeting);
    clearInterval(this.#beat);
    this.#socket.close('');
  }

  #end(why: Parameters<SignalHandlers['onEnd']>[0]): void {
    if (this.#isOver) return;
    this.close();
    this.#handlers.onEnd(why);
  }

  #hear(data: unknown): void {
    const message = readMessage(data);
    if (message === null || this.#isOver) return;
    switch (message.type) {
      case 'OPEN':
        clearTimeout(this.#greeting);
        this.#beat = setInterval(() => this.send({ type: 'HEARTBEAT' }), BEAT_MS);
        return this.#handlers.onOpen();
      case 'ID-TAKEN':
        return this.#end('taken');
      case 'ERROR':
        return this.#end(message.payload.code);
      default:
        return this.#handlers.onMessage(message);
    }
  }
}

function readMessage(data: unknown): FromRelay | null {
  try {
    return fromRelaySchema.safeParse(JSON.parse(String(data))).data ?? null;
  } catch {
    return null;
  }
}

import nodeDataChannel, { type DataChannel, type PeerConnection } from 'node-datachannel';
import { BaseLink, CLOSED_HERE, CLOSED_THERE } from '../../net/link/base-link.ts';
import { HIGH_WATER_BYTES, LOW_WATER_BYTES, type TransportStats } from '../../net/link/link.ts';

/** The channel says that it is closed before its last frames are out: the connection stays for them. */
const LINGER_MS = 1000;
/** As in a tab: a few lost probes are often made good. */
const DISCONNECTED_GRACE_MS = 3000;

/** What nothing in JavaScript refers to is collected, channel and all, though frames still come. */
const alive = new Set<NodeLink>();
/**
 * Channels are asked whether they are closed: one that is told to call back when it is (onClosed) drops the frames that
 * have come and not yet been handed to JavaScript.
 */
const ASK_MS = 50;
let asking: ReturnType<typeof setInterval> | undefined;

/**
 * A link of this process over an open, ordered, reliable data channel. The connection is the link's own and ends with it;
 * `onGone` is called then.
 */
export class NodeLink extends BaseLink {
  readonly #connection: PeerConnection;
  readonly #channel: DataChannel;
  readonly #onGone: () => void;
  #queue: ArrayBuffer[] = [];
  #queuedBytes = 0;
  #messages = { sent: 0, received: 0 };
  #receivedBytes = 0;
  #last: TransportStats | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(connection: PeerConnection, channel: DataChannel, onGone: () => void = () => {}) {
    super();
    this.#connection = connection;
    this.#channel = channel;
    this.#onGone = onGone;
    alive.add(this);
    asking ??= setInterval(() => {
      for (const link of alive) link.#ask();
    }, ASK_MS).unref();
    channel.setBufferedAmountLowThreshold(LOW_WATER_BYTES);
    channel.onBufferedAmountLow(() => this.#drain());
    channel.onMessage((data) => {
      if (typeof data === 'string') return this.close('text came where frames are expected');
      const frame = wholeBuffer(data);
      this.#messages.received += 1;
      this.#receivedBytes += frame.byteLength;
      this.deliver(frame);
    });
    connection.onStateChange((state) => this.#watch(state));
  }

  get bufferedBytes(): number {
    return this.isEnded ? 0 : this.#channel.bufferedAmount() + this.#queuedBytes;
  }

  send(frame: ArrayBuffer): void {
    if (this.isEnded) return;
    if (this.#queue.length > 0 || this.#channel.bufferedAmount() >= HIGH_WATER_BYTES) {
      this.#queue.push(frame);
      this.#queuedBytes += frame.byteLength;
    } else {
      this.#write(frame);
    }
  }

  close(reason = CLOSED_HERE): void {
    if (!this.#finish(reason, true)) return;
    this.#channel.close();
    this.#timer = setTimeout(() => this.#dispose(), LINGER_MS);
    // A process that has nothing else to do may end.
    this.#timer.unref();
  }

  /** Ends at once, whatever is on its way. */
  abandon(): void {
    this.#finish(CLOSED_HERE, true);
    this.#dispose();
  }

  /** Bytes of frames as the transport counts them; after the end, as it last did. */
  async stats(): Promise<TransportStats> {
    if (!this.isEnded) this.#look();
    return this.#last ?? noStats;
  }

  protected taken(): void {}

  #look(): void {
    const { sent, received } = this.#messages;
    this.#last = {
      messagesSent: sent,
      messagesReceived: received,
      bytesSent: this.#connection.bytesSent(),
      bytesReceived: this.#connection.bytesReceived(),
      // The library counts messages only (bytesSent is the sum of their lengths, to the byte), nothing below them.
      wireBytesSent: null,
      wireBytesReceived: null,
      roundTripMs: this.#connection.rtt(),
    };
  }

  #write(frame: ArrayBuffer): void {
    try {
      // False says that it was buffered, not that it was refused.
      this.#channel.sendMessageBinary(new Uint8Array(frame));
      this.#messages.sent += 1;
    } catch (error) {
      if (this.#channel.isOpen()) this.close(`the channel refused a frame: ${String(error)}`);
    }
  }

  #drain(): void {
    while (!this.isEnded && this.#queue.length > 0 && this.#channel.bufferedAmount() < HIGH_WATER_BYTES) {
      const frame = this.#queue.shift();
      if (frame === undefined) break;
      this.#queuedBytes -= frame.byteLength;
      this.#write(frame);
    }
    if (!this.isEnded && this.bufferedBytes <= LOW_WATER_BYTES) this.onLow();
  }

  #watch(state: string): void {
    if (this.isEnded) {
      if (state !== 'connected') this.#dispose();
      return;
    }
    clearTimeout(this.#timer);
    if (state === 'failed' || state === 'closed') this.#lost('the connection failed');
    else if (state === 'disconnected') {
      this.#timer = setTimeout(() => this.#lost('the other side stopped answering'), DISCONNECTED_GRACE_MS);
    }
  }

  /** The other side closed the channel, and what it sent before has all been handed out. */
  #ask(): void {
    if (this.isEnded || this.#channel.isOpen()) return;
    if (this.#receivedBytes >= this.#connection.bytesReceived()) this.#lost(CLOSED_THERE);
  }

  /** The transport is gone, whoever noticed. */
  #lost(reason: string): void {
    if (this.#finish(reason, false)) this.#dispose();
  }

  #finish(reason: string, isLocal: boolean): boolean {
    if (this.isEnded) return false;
    clearTimeout(this.#timer);
    this.#look();
    this.#queue = [];
    this.#queuedBytes = 0;
    return this.end(reason, isLocal);
  }

  #dispose(): void {
    clearTimeout(this.#timer);
    if (!alive.delete(this)) return;
    if (alive.size === 0) {
      clearInterval(asking);
      asking = undefined;
    }
    this.#connection.close();
    this.#onGone();
  }
}

/** Closing takes the library's threads a moment, and it does not bear to be cleaned up meanwhile. */
const RELEASE_MS = 200;

/** Ends every link of this process; until then the process does not end by itself. */
export async function releaseDataChannels(): Promise<void> {
  for (const link of alive) link.abandon();
  await new Promise((resolve) => setTimeout(resolve, RELEASE_MS));
  nodeDataChannel.cleanup();
}

/** A frame's bytes in a buffer that is theirs alone, to be transferred. */
function wholeBuffer(data: Buffer | ArrayBuffer): ArrayBuffer {
  if (data instanceof ArrayBuffer) return data;
  const { buffer, byteLength } = data;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? buffer : new Uint8Array(data).buffer;
}

const noStats: TransportStats = {
  messagesSent: 0,
  messagesReceived: 0,
  bytesSent: 0,
  bytesReceived: 0,
  wireBytesSent: null,
  wireBytesReceived: null,
  roundTripMs: null,
};

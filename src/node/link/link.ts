import nodeDataChannel, { type DataChannel, type PeerConnection } from 'node-datachannel';
import { CLOSED_THERE } from '../../net/link/base-link.ts';
import { DataChannelLink } from '../../net/link/data-channel-link.ts';
import { LOW_WATER_BYTES, type TransportStats } from '../../net/link/link.ts';

/** What nothing in JavaScript refers to is collected, channel and all, though frames still come. */
const alive = new Set<NodeLink>();
/**
 * Channels are asked whether they are closed: one that is told to call back when it is (onClosed) drops the frames that
 * have come and not yet been handed to JavaScript.
 */
const ASK_MS = 50;
let asking: ReturnType<typeof setInterval> | undefined;

/** A link over a data channel of this process. */
export class NodeLink extends DataChannelLink {
  readonly #connection: PeerConnection;
  readonly #channel: DataChannel;
  /** Once the connection is gone. */
  #lastStats: TransportStats | null = null;

  constructor(connection: PeerConnection, channel: DataChannel, onGone: () => void) {
    super(onGone);
    this.#connection = connection;
    this.#channel = channel;
    alive.add(this);
    asking ??= setInterval(() => {
      for (const link of alive) link.#ask();
    }, ASK_MS).unref();
    channel.setBufferedAmountLowThreshold(LOW_WATER_BYTES);
    channel.onBufferedAmountLow(() => this.drain());
    channel.onMessage((data) => {
      if (typeof data === 'string') return this.close('text came where frames are expected');
      this.deliver(wholeBuffer(data));
    });
    connection.onStateChange((state) => this.watch(state));
  }

  async stats(): Promise<TransportStats> {
    return this.sinceHandOver(this.#lastStats ?? this.#look());
  }

  protected get channelBytes(): number {
    return this.#channel.bufferedAmount();
  }

  protected get isChannelOpen(): boolean {
    return this.#channel.isOpen();
  }

  protected write(frame: ArrayBuffer): void {
    // False says that it was buffered, not that it was refused.
    this.#channel.sendMessageBinary(new Uint8Array(frame));
  }

  protected closeChannel(): void {
    this.#channel.close();
  }

  protected override gone(): void {
    this.#lastStats = this.#look();
    alive.delete(this);
    if (alive.size > 0) return;
    clearInterval(asking);
    asking = undefined;
  }

  #look(): TransportStats {
    return {
      ...this.counts,
      bytesSent: this.#connection.bytesSent(),
      bytesReceived: this.#connection.bytesReceived(),
      // The library counts messages only (bytesSent is the sum of their lengths, to the byte), nothing below them.
      wireBytesSent: null,
      wireBytesReceived: null,
      roundTripMs: this.#connection.rtt(),
    };
  }

  /** The other side closed the channel, and what it sent before has all been handed out. */
  #ask(): void {
    if (this.isEnded || this.#channel.isOpen()) return;
    if (this.counts.bytesReceived >= this.#connection.bytesReceived()) this.lost(CLOSED_THERE);
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

import { BaseLink, CLOSED_HERE, CLOSED_THERE } from './base-link.ts';
import { HIGH_WATER_BYTES, type Link, LOW_WATER_BYTES, type TransportStats } from './link.ts';

/** A link over WebRTC, which counts for itself. */
export interface PeerLink extends Link {
  /** As the browser counts them; after the end, as it last did. */
  stats(): Promise<TransportStats>;
}

/** ICE says 'disconnected' after a few lost probes, and often recovers by itself. */
const DISCONNECTED_GRACE_MS = 3000;
/** How long a closing channel may take to flush and tell the other side before the connection goes down with it. */
const LINGER_MS = 1000;
/**
 * UDP and IPv4. A candidate pair counts what it hands to the socket, DTLS and SCTP included; with these, its packets come
 * to what the kernel counted for them, to the byte. ICE's own checks, some 200 B/s, are in neither.
 */
const PACKET_HEADER_BYTES = 8 + 20;

/** A link over an open, ordered, reliable data channel. `dispose` is called once, when the connection may go. */
export class ChannelLink extends BaseLink implements PeerLink {
  readonly #connection: RTCPeerConnection;
  readonly #channel: RTCDataChannel;
  readonly #dispose: () => void;
  #queue: ArrayBuffer[] = [];
  #queuedBytes = 0;
  #graceTimer: ReturnType<typeof setTimeout> | undefined;
  #lastStats: TransportStats = {
    messagesSent: 0,
    messagesReceived: 0,
    bytesSent: 0,
    bytesReceived: 0,
    wireBytesSent: null,
    wireBytesReceived: null,
    roundTripMs: null,
  };

  constructor(connection: RTCPeerConnection, channel: RTCDataChannel, dispose: () => void) {
    super();
    this.#connection = connection;
    this.#channel = channel;
    this.#dispose = dispose;
    channel.binaryType = 'arraybuffer';
    channel.bufferedAmountLowThreshold = LOW_WATER_BYTES;
    channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (data instanceof ArrayBuffer) this.deliver(data);
      else this.close();
    });
    channel.addEventListener('bufferedamountlow', () => this.#drain());
    channel.addEventListener('close', () => this.lost(CLOSED_THERE));
    connection.addEventListener('connectionstatechange', () => this.#watch());
  }

  get bufferedBytes(): number {
    return this.isEnded ? 0 : this.#channel.bufferedAmount + this.#queuedBytes;
  }

  send(frame: ArrayBuffer): void {
    if (this.isEnded) return;
    if (this.#queue.length > 0 || this.#channel.bufferedAmount >= HIGH_WATER_BYTES) {
      this.#queue.push(frame);
      this.#queuedBytes += frame.byteLength;
    } else {
      this.#write(frame);
    }
  }

  close(reason = CLOSED_HERE): void {
    if (!this.#finish(reason, true)) return;
    const timer = setTimeout(this.#dispose, LINGER_MS);
    this.#channel.addEventListener('close', () => {
      clearTimeout(timer);
      this.#dispose();
    });
    this.#channel.close();
  }

  /** The transport is gone, whoever noticed. */
  lost(reason: string): void {
    if (this.#finish(reason, false)) this.#dispose();
  }

  async stats(): Promise<TransportStats> {
    if (this.#connection.connectionState === 'closed') return this.#lastStats;
    const sums = { messagesSent: 0, messagesReceived: 0, bytesSent: 0, bytesReceived: 0 };
    let roundTripMs: number | null = null;
    // Of all pairs: a connection may change from one to another.
    const wire: { sent: number | null; received: number | null } = { sent: null, received: null };
    const reports: RTCStatsReport = await this.#connection.getStats();
    // lib.dom has no type for these reports; every field is checked where it is read.
    reports.forEach((report: Record<string, unknown>) => {
      if (report.type === 'data-channel') {
        for (const key of Object.keys(sums) as (keyof typeof sums)[]) sums[key] += asNumber(report[key]) ?? 0;
      } else if (report.type === 'candidate-pair') {
        wire.sent = plus(wire.sent, wireBytes(report.bytesSent, report.packetsSent));
        wire.received = plus(wire.received, wireBytes(report.bytesReceived, report.packetsReceived));
        const seconds = report.nominated === true ? asNumber(report.currentRoundTripTime) : null;
        if (seconds !== null) roundTripMs = seconds * 1000;
      }
    });
    // A pair that is given up is no longer told of.
    const before = this.#lastStats;
    this.#lastStats = {
      ...sums,
      wireBytesSent: atLeast(before.wireBytesSent, wire.sent),
      wireBytesReceived: atLeast(before.wireBytesReceived, wire.received),
      roundTripMs,
    };
    return this.#lastStats;
  }

  protected taken(): void {}

  #write(frame: ArrayBuffer): void {
    try {
      this.#channel.send(frame);
    } catch (error) {
      // A channel that is already closing says so by its close event; any other refusal is the end of order.
      if (this.#channel.readyState === 'open') this.close(`the channel refused a frame: ${String(error)}`);
    }
  }

  #drain(): void {
    while (this.#channel.bufferedAmount < HIGH_WATER_BYTES) {
      const frame = this.#queue.shift();
      if (frame === undefined) break;
      this.#queuedBytes -= frame.byteLength;
      this.#write(frame);
    }
    if (!this.isEnded && this.bufferedBytes <= LOW_WATER_BYTES) this.onLow();
  }

  #watch(): void {
    clearTimeout(this.#graceTimer);
    const state = this.#connection.connectionState;
    if (state === 'failed' || state === 'closed') this.lost('the connection failed');
    if (state !== 'disconnected' || this.isEnded) return;
    this.#graceTimer = setTimeout(() => this.lost('the other side stopped answering'), DISCONNECTED_GRACE_MS);
  }

  #finish(reason: string, isLocal: boolean): boolean {
    clearTimeout(this.#graceTimer);
    this.#queue = [];
    this.#queuedBytes = 0;
    return this.end(reason, isLocal);
  }
}

const asNumber = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** Browsers that do not count packets have headers left out. */
function wireBytes(bytes: unknown, packets: unknown): number | null {
  const payload = asNumber(bytes);
  return payload === null ? null : payload + PACKET_HEADER_BYTES * (asNumber(packets) ?? 0);
}

const plus = (a: number | null, b: number | null): number | null => (b === null ? a : (a ?? 0) + b);

const atLeast = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (b ?? a) : Math.max(a, b);

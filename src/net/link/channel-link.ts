import { CLOSED_THERE } from './base-link.ts';
import { DataChannelLink } from './data-channel-link.ts';
import { LOW_WATER_BYTES, type TransportStats } from './link.ts';

/**
 * UDP and IPv4. A candidate pair counts what it hands to the socket, DTLS and SCTP included; with these, its packets come
 * to what the kernel counted for them, to the byte. ICE's own checks, some 200 B/s, are in neither.
 */
const PACKET_HEADER_BYTES = 8 + 20;

/** A link over a data channel of this page. */
export class ChannelLink extends DataChannelLink {
  readonly #connection: RTCPeerConnection;
  readonly #channel: RTCDataChannel;
  #lastStats: TransportStats = { ...this.counts, wireBytesSent: null, wireBytesReceived: null, roundTripMs: null };

  constructor(connection: RTCPeerConnection, channel: RTCDataChannel, onGone: () => void) {
    super(onGone);
    this.#connection = connection;
    this.#channel = channel;
    channel.binaryType = 'arraybuffer';
    channel.bufferedAmountLowThreshold = LOW_WATER_BYTES;
    channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (data instanceof ArrayBuffer) this.deliver(data);
      else this.close();
    });
    channel.addEventListener('bufferedamountlow', () => this.drain());
    channel.addEventListener('close', () => this.lost(CLOSED_THERE));
    connection.addEventListener('connectionstatechange', () => this.watch(connection.connectionState));
  }

  async stats(): Promise<TransportStats> {
    if (this.#connection.connectionState !== 'closed') this.#lastStats = await this.#look();
    return this.sinceHandOver(this.#lastStats);
  }

  protected get channelBytes(): number {
    return this.#channel.bufferedAmount;
  }

  protected get isChannelOpen(): boolean {
    return this.#channel.readyState === 'open';
  }

  protected write(frame: ArrayBuffer): void {
    this.#channel.send(frame);
  }

  protected closeChannel(): void {
    this.#channel.close();
  }

  async #look(): Promise<TransportStats> {
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
    // A pair that was given up is missing from the reports.
    const { wireBytesSent, wireBytesReceived } = this.#lastStats;
    return {
      ...sums,
      wireBytesSent: atLeast(wireBytesSent, wire.sent),
      wireBytesReceived: atLeast(wireBytesReceived, wire.received),
      roundTripMs,
    };
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

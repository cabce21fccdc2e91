import type { TransportStats } from '../../core/wire/traffic.ts';

/**
 * One connection to one peer: frames go in and come out in order, whole, at most once.
 * `close` may lose what is still buffered; the other side sees `onClose` once.
 */
export interface Link {
  /** Gives the frame away (its buffer may be detached). Never throws; after the end it does nothing. */
  send(frame: ArrayBuffer): void;
  /** Bytes accepted by `send` that the transport has not taken, or has not said so of yet. Senders hold back at HIGH_WATER_BYTES. */
  readonly bufferedBytes: number;
  /** Set by the one user of the link. */
  onFrame: (frame: ArrayBuffer) => void;
  /** Called when `bufferedBytes` has fallen to LOW_WATER_BYTES or below after it was above. */
  onLow: () => void;
  /** Called once, when the link has ended from either side. */
  onClose: (reason: string) => void;
  close(): void;
}

export { MAX_FRAME_BYTES } from '../../core/wire/frame.ts';
/** Chromium throws at 16 MiB buffered; latency suffers long before. */
export const HIGH_WATER_BYTES = 1 << 20;
export const LOW_WATER_BYTES = 1 << 18;

export type { TransportStats } from '../../core/wire/traffic.ts';

/** A link that counts for itself. */
export interface CountedLink extends Link {
  /** After the end, as last counted. */
  stats(): Promise<TransportStats>;
}

/** What a link carried, as near to the wire as somebody counts. */
export const carriedBytes = (stats: TransportStats): { sentBytes: number; receivedBytes: number } => ({
  sentBytes: stats.wireBytesSent ?? stats.bytesSent,
  receivedBytes: stats.wireBytesReceived ?? stats.bytesReceived,
});

import { type Kind, kinds } from './protocol.ts';

/** Frames and bytes that went one way over one link, by kind. Bytes are as handed to the transport, headers included. */
export type Tally = Readonly<Record<Kind, { readonly frames: number; readonly bytes: number }>>;

/** What one link carried, from the side that counted. */
export interface Traffic {
  readonly sent: Tally;
  readonly received: Tally;
}

/** A tally that counts. */
export class TallyCounter {
  readonly counts = Object.fromEntries(kinds.map((kind) => [kind, { frames: 0, bytes: 0 }])) as Record<
    Kind,
    { frames: number; bytes: number }
  >;

  add(kind: Kind, bytes: number): void {
    this.counts[kind].frames += 1;
    this.counts[kind].bytes += bytes;
  }
}

/** All bytes of a tally. */
export const tallyBytes = (tally: Tally): number => kinds.reduce((sum, kind) => sum + tally[kind].bytes, 0);

/** Bytes as the transport itself counts them, for reconciling with our own. */
export interface TransportStats {
  readonly messagesSent: number;
  readonly messagesReceived: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  /**
   * What it took to carry them: all packets of the connection with their headers down to IP, including repeats
   * and acknowledgements. Null if nobody counts below the channel.
   */
  readonly wireBytesSent: number | null;
  readonly wireBytesReceived: number | null;
  readonly roundTripMs: number | null;
}

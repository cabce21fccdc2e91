import { type Kind, kinds } from './protocol.ts';

/** Frames and bytes that went one way over one link, by kind. Bytes are as handed to the transport, headers included. */
export type Tally = Readonly<Record<Kind, { readonly frames: number; readonly bytes: number }>>;

/** What one link carried, seen from the side that counted. */
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

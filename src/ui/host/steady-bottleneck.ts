import type { Bound } from '../../observe/bottleneck/shares.ts';

/** What is shown as the bottleneck, and what may take its place. */
export interface Steady<Found extends { readonly bound: Bound }> {
  readonly bottleneck: Found;
  /** When its numbers were last brought up to date. */
  readonly readAtMs: number;
  /** Another that has been found since, and since when without a break. */
  readonly rival: { readonly bound: Bound; readonly sinceMs: number } | null;
}

/** Numbers that change faster than this are not read. */
const REFRESH_MS = 3000;
/** A run between two bounds must not flicker: the other has to hold for this long. */
const HOLD_MS = 6000;

/** What to show after a new finding: the same with fresh numbers now and then, another only once it has held. */
export function steady<Found extends { readonly bound: Bound }>(
  shown: Steady<Found> | null,
  next: Found,
  atMs: number,
): Steady<Found> {
  const fresh = { bottleneck: next, readAtMs: atMs, rival: null };
  if (shown === null) return fresh;
  if (shown.bottleneck.bound === next.bound) {
    if (atMs - shown.readAtMs >= REFRESH_MS) return fresh;
    return shown.rival === null ? shown : { ...shown, rival: null };
  }
  if (shown.rival?.bound !== next.bound) return { ...shown, rival: { bound: next.bound, sinceMs: atMs } };
  return atMs - shown.rival.sinceMs >= HOLD_MS ? fresh : shown;
}

const MAGNITUDE = 0x7fffffff;
/** Magnitudes are 31 bits, looked at in pieces of 11, 10 and 10, so that the counts stay in the fastest cache. */
const SHIFTS = [20, 10, 0] as const;

/** Shared by all calls, which never overlap; each count starts from zero. */
const counts = new Uint32Array(1 << 11);

/**
 * Fills `chosen`, ascending, with where the `chosen.length` numbers of the largest magnitude are; of equal ones the first
 * are taken. Takes the numbers as bits, NaN as the largest, and returns the bits of the largest magnitude.
 * Four passes, whatever the numbers.
 */
export function selectLargest(bits: Int32Array, chosen: Uint32Array): number {
  // The last of the chosen has a magnitude from `lowest` on, and is the `rank`-th of those that share its bits so far.
  let lowest = 0;
  let rank = chosen.length;
  if (rank === 0) return 0;
  for (const shift of SHIFTS) {
    if (shift === 20) countAll(bits, shift);
    else countFrom(bits, lowest, shift);
    let bin = counts.length - 1;
    for (; rank > (counts[bin] as number); bin--) rank -= counts[bin] as number;
    lowest += bin << shift;
  }
  return gather(bits, lowest, rank, chosen);
}

function countAll(bits: Int32Array, shift: number): void {
  counts.fill(0);
  const whole = bits.length & ~3;
  for (let i = 0; i < whole; i += 4) {
    const a = ((bits[i] as number) & MAGNITUDE) >>> shift;
    const b = ((bits[i + 1] as number) & MAGNITUDE) >>> shift;
    const c = ((bits[i + 2] as number) & MAGNITUDE) >>> shift;
    const d = ((bits[i + 3] as number) & MAGNITUDE) >>> shift;
    counts[a] = (counts[a] as number) + 1;
    counts[b] = (counts[b] as number) + 1;
    counts[c] = (counts[c] as number) + 1;
    counts[d] = (counts[d] as number) + 1;
  }
  for (let i = whole; i < bits.length; i++) {
    const a = ((bits[i] as number) & MAGNITUDE) >>> shift;
    counts[a] = (counts[a] as number) + 1;
  }
}

/** True if any of the four numbers from `i` on reaches the magnitude: few do, so most are passed over in fours. */
const reaches = (bits: Int32Array, i: number, magnitude: number) =>
  ((bits[i] as number) & MAGNITUDE) >= magnitude ||
  ((bits[i + 1] as number) & MAGNITUDE) >= magnitude ||
  ((bits[i + 2] as number) & MAGNITUDE) >= magnitude ||
  ((bits[i + 3] as number) & MAGNITUDE) >= magnitude;

/** Counts the 1024 steps of 2^shift from `lowest` on. */
function countFrom(bits: Int32Array, lowest: number, shift: number): void {
  counts.fill(0);
  for (let from = 0; from < bits.length; from += 4) {
    const to = Math.min(from + 4, bits.length);
    if (to - from === 4 && !reaches(bits, from, lowest)) continue;
    for (let i = from; i < to; i++) {
      // Below `lowest` the difference is negative, and as unsigned beyond every step.
      const step = (((bits[i] as number) & MAGNITUDE) - lowest) >>> shift;
      if (step < 1024) counts[step] = (counts[step] as number) + 1;
    }
  }
}

function gather(bits: Int32Array, threshold: number, ties: number, chosen: Uint32Array): number {
  let [count, tiesLeft, largest] = [0, ties, 0];
  for (let from = 0; from < bits.length; from += 4) {
    const to = Math.min(from + 4, bits.length);
    if (to - from === 4 && !reaches(bits, from, threshold)) continue;
    for (let i = from; i < to; i++) {
      const magnitude = (bits[i] as number) & MAGNITUDE;
      if (magnitude < threshold || (magnitude === threshold && tiesLeft-- <= 0)) continue;
      chosen[count++] = i;
      largest = Math.max(largest, magnitude);
    }
  }
  return largest;
}

/** The middle of some measurements, with the band that holds the middle 60 % of them. */
export interface Band {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

export interface Comparison {
  readonly a: readonly number[];
  readonly b: readonly number[];
  /** Of a ÷ b, pair by pair. */
  readonly ratio: Band;
}

/**
 * Measures two things in turn, so that whatever else the machine does meets both alike, and compares them pair by
 * pair. Which of a pair goes first alternates: the second often finds a warmer or a hotter machine.
 */
export async function interleave(
  a: () => Promise<number>,
  b: () => Promise<number>,
  { pairs = 9, note = () => {} }: { pairs?: number; note?: (line: string) => void } = {},
): Promise<Comparison> {
  const measured: { a: number[]; b: number[] } = { a: [], b: [] };
  const ratios: number[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const isAFirst = pair % 2 === 0;
    const first = await (isAFirst ? a() : b());
    const second = await (isAFirst ? b() : a());
    const [valueA, valueB] = isAFirst ? [first, second] : [second, first];
    measured.a.push(valueA);
    measured.b.push(valueB);
    ratios.push(valueA / valueB);
    note(`pair ${pair + 1} of ${pairs}: ${(valueA / valueB).toFixed(3)}`);
  }
  return { ...measured, ratio: bandOf(ratios) };
}

/** The 20 %, 50 % and 80 % points of the values, between neighbours where they fall between. */
export function bandOf(values: readonly number[]): Band {
  if (values.length === 0) throw new RangeError('a band needs at least one value, got none');
  const sorted = [...values].sort((x, y) => x - y);
  const at = (share: number): number => {
    const place = share * (sorted.length - 1);
    const below = sorted[Math.floor(place)] ?? 0;
    const above = sorted[Math.ceil(place)] ?? 0;
    return below + (above - below) * (place - Math.floor(place));
  };
  return { low: at(0.2), median: at(0.5), high: at(0.8) };
}

/** What a figure of others says, in seconds where it is a time. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

const units: Readonly<Record<string, number>> = { ms: 0.001, min: 60, h: 3600 };
const figure = /^(?:about|~|≈)?\s*([\d.,]+)(?:\s*(?:–|-|to)\s*([\d.,]+))?\s*([a-z%/]*)/i;

/** Reads 13.7–14.0, 91.8 %, 4.75 min; null where a value is not a number or two. */
export function readRange(value: string): Range | null {
  const [, first, second, unit = ''] = figure.exec(value.trim()) ?? [];
  if (first === undefined) return null;
  const scale = units[unit.toLowerCase()] ?? 1;
  const [low, high] = [first, second ?? first].map((text) => Number(text.replaceAll(',', '')) * scale) as [
    number,
    number,
  ];
  return Number.isFinite(low) && Number.isFinite(high) && low > 0 && high > 0 ? { low, high } : null;
}

const middle = ({ low, high }: Range): number => (low + high) / 2;

/** A range as times the middle of another one. */
export const rangeRatio = (range: Range, base: Range): Range => ({
  low: range.low / middle(base),
  high: range.high / middle(base),
});

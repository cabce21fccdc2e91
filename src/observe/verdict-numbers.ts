/** A share as whole percent; what is there, but less than one, is said to be. */
export const percent = (share: number): string =>
  share > 0 && share < 0.005 ? 'less than 1 %' : `${Math.round(share * 100)} %`;

/** A time with two or three digits; no clock here is better than a tenth of a millisecond. */
export function time(ms: number): string {
  if (ms >= 99_950) return `${Math.round(ms / 1000)} s`;
  if (ms >= 999.5) return `${(ms / 1000).toPrecision(3)} s`;
  if (ms >= 9.95) return `${Math.round(ms)} ms`;
  return ms > 0 && ms < 0.05 ? 'less than 0.1 ms' : `${Number(ms.toFixed(1))} ms`;
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Bytes with up to three digits. */
export function size(bytes: number): string {
  // 999.5 would round to four digits.
  const unit = units.findIndex((_, power) => bytes / 1000 ** power < 999.5 || power === units.length - 1);
  const scaled = bytes / 1000 ** unit;
  return `${unit === 0 || scaled >= 99.95 ? Math.round(scaled) : scaled.toPrecision(3)} ${units[unit]}`;
}

/** The least and the most of some times, once where they are the same. */
export function range(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)].map(time);
  return least === most ? `${least}` : `${least} to ${most}`;
}

/** A count with its noun, in the right number. */
export const counted = (value: number, noun: string): string => `${value} ${noun}${value === 1 ? '' : 's'}`;

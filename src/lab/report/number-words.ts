import type { Measured } from '../measured.ts';

/** Between a number and its unit, so that a line never breaks there. */
const NBSP = '\u00a0';
/** Between a mean and its spread. */
export const SPREAD = `${NBSP}±${NBSP}`;
/** Shown where there is no number; as wide as a digit in tabular numerals. */
export const NOTHING = '–';

/** How a quantity is written: without its unit, with so many decimals for a value of this size. */
export interface NumberFormat {
  /** As it stands in heads of columns and on axes; empty where there is none. */
  readonly unit: string;
  /** Values are multiplied by this: shares are read as percent, bytes as megabytes. */
  readonly scale: number;
  decimals(scaled: number): number;
}

/** Three significant digits or so, and never more decimals than `most`. */
const threeDigits =
  (most: number) =>
  (scaled: number): number => {
    const size = Math.abs(scaled);
    return Math.min(most, size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3);
  };

const whole = () => 0;
export const counts: NumberFormat = { unit: '', scale: 1, decimals: whole };
export const seconds: NumberFormat = { unit: 's', scale: 1, decimals: threeDigits(2) };
export const milliseconds: NumberFormat = { unit: 'ms', scale: 1, decimals: threeDigits(2) };
/** Of seconds. */
export const stepTimes: NumberFormat = { ...milliseconds, scale: 1000 };
export const percents: NumberFormat = { unit: '%', scale: 100, decimals: () => 1 };
export const finePercents: NumberFormat = { unit: '%', scale: 100, decimals: () => 2 };
export const losses: NumberFormat = { unit: '', scale: 1, decimals: threeDigits(4) };
export const thousandths: NumberFormat = { unit: '', scale: 1, decimals: () => 3 };
/** The head of the column says what, and that it is per second. */
export const rates: NumberFormat = { unit: '', scale: 1, decimals: threeDigits(1) };
export const megabytes: NumberFormat = { unit: 'MB', scale: 1e-6, decimals: threeDigits(2) };
export const megabytesPerSecond: NumberFormat = { unit: 'MB/s', scale: 1e-6, decimals: threeDigits(2) };
export const ratios: NumberFormat = { unit: '×', scale: 1, decimals: threeDigits(2) };

// To make one of these takes longer than to use it a hundred times, and a report has thousands of numbers.
const formats = [0, 1, 2, 3, 4].map(
  (digits) =>
    new Intl.NumberFormat('en-US', {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
      // What rounds to zero from below is written 0.00, not -0.00.
      signDisplay: 'negative',
    }),
);
const grouped = (value: number, decimals: number): string =>
  formats[decimals]?.format(value) ?? value.toFixed(decimals);

/** A number as a column has it, its unit in the head: 1,240. */
export function bare(value: number | null, { scale, decimals }: NumberFormat): string {
  if (value === null || !Number.isFinite(value)) return NOTHING;
  return grouped(value * scale, decimals(value * scale));
}

/** A number with its unit: 4.21 s, 91.7 %, 2.1×. */
export function withUnit(value: number | null, format: NumberFormat): string {
  const text = bare(value, format);
  return text === NOTHING || format.unit === '' ? text : `${text}${format.unit === '×' ? '' : NBSP}${format.unit}`;
}

/** Mean and spread with the same decimals: 4.21 ± 0.20; the mean alone after one run. */
export function meanAndSpread(value: Measured | null, format: NumberFormat): string {
  if (value === null) return NOTHING;
  const text = bare(value.mean, format);
  if (value.spread === null) return text;
  return `${text}${SPREAD}${grouped(value.spread * format.scale, format.decimals(value.mean * format.scale))}`;
}

/** Mean, spread and unit, for sentences: 4.21 ± 0.20 s. */
export function measuredWords(value: Measured | null, format: NumberFormat): string {
  const text = meanAndSpread(value, format);
  return text === NOTHING || format.unit === '' ? text : `${text}${NBSP}${format.unit}`;
}

/** A number that people chose, as they wrote it: 0.35, 1,000. */
export const chosen = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 9 });

/** A count with its noun, in the right number: 1 run, 3 runs, 0.5 epochs. */
export const counted = (value: number, noun: string): string =>
  `${chosen(value)}${NBSP}${noun}${value === 1 ? '' : 's'}`;

/** Names as a sentence has them: a, b and c. */
export function listed(names: readonly string[]): string {
  if (names.length < 2) return names[0] ?? '';
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

import { decimal, NBSP, NOTHING, threeDigits } from '../../observe/format.ts';
import type { Measured } from '../measured.ts';

/** Between a mean and its spread. */
export const SPREAD = `${NBSP}±${NBSP}`;

/** How a quantity is written in a column or on an axis: its unit apart, with so many decimals for a value of this size. */
export interface NumberFormat {
  /** As it stands in heads of columns and on axes; empty where there is none. */
  readonly unit: string;
  /** Values are multiplied by this: shares are read as percent, bytes as megabytes. */
  readonly scale: number;
  decimals(scaled: number): number;
}

const format = (unit: string, scale: number, decimals: number | ((scaled: number) => number)): NumberFormat => ({
  unit,
  scale,
  decimals: typeof decimals === 'number' ? () => decimals : decimals,
});
const upTo = (max: number) => (scaled: number) => threeDigits(scaled, max);

export const counts = format('', 1, 0);
export const seconds = format('s', 1, upTo(2));
export const milliseconds = format('ms', 1, upTo(2));
/** Of seconds. */
export const stepTimes = format('ms', 1000, upTo(2));
export const percents = format('%', 100, 1);
export const finePercents = format('%', 100, 2);
export const losses = format('', 1, upTo(3));
export const thousandths = format('', 1, 3);
/** The head of the column says what, and that it is per second. */
export const rates = format('', 1, upTo(1));
export const megabytes = format('MB', 1e-6, upTo(2));
export const megabytesPerSecond = format('MB/s', 1e-6, upTo(2));
export const ratios = format('×', 1, upTo(2));

/** A number as a column has it, its unit in the head: 1,240. */
export const bare = (value: number | null, { scale, decimals }: NumberFormat): string =>
  value === null || !Number.isFinite(value) ? NOTHING : decimal(value * scale, decimals(value * scale));

const withUnitOf = ({ unit }: NumberFormat, text: string): string =>
  text === NOTHING || unit === '' ? text : `${text}${unit === '×' ? '' : NBSP}${unit}`;

/** A number with its unit: 4.21 s, 91.7 %, 2.1×. */
export const withUnit = (value: number | null, format: NumberFormat): string => withUnitOf(format, bare(value, format));

/** Mean and spread with the same decimals: 4.21 ± 0.20; the mean alone after one run. */
export function meanAndSpread(value: Measured | null, format: NumberFormat): string {
  if (value === null) return NOTHING;
  const text = bare(value.mean, format);
  if (value.spread === null) return text;
  return `${text}${SPREAD}${decimal(value.spread * format.scale, format.decimals(value.mean * format.scale))}`;
}

/** Mean, spread and unit, for sentences: 4.21 ± 0.20 s. */
export const measuredWords = (value: Measured | null, format: NumberFormat): string =>
  withUnitOf(format, meanAndSpread(value, format));

/** A column's or an axis' title with the unit it is in. */
export const titled = (title: string, { unit }: NumberFormat): string => (unit === '' ? title : `${title}, ${unit}`);

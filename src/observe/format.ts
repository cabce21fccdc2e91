/** Between a number and its unit, so that a line never breaks there. */
export const NBSP = '\u00a0';
/** Shown where there is no number; as wide as a digit in tabular numerals. */
export const NOTHING = '–';

/** The text for a terminal, where a no-break space buys nothing and splits no columns. */
export const plainSpaces = (text: string): string => text.replaceAll(NBSP, ' ');

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
const exact = new Intl.NumberFormat('en-US', { maximumFractionDigits: 9 });

/** A number with this many decimals, at most four, thousands separated. */
export const decimal = (value: number, digits: number): string => (formats[digits] as Intl.NumberFormat).format(value);

/** A whole number with thousands separated: 1,240. */
export const count = (value: number): string => decimal(value, 0);

/** A number as people set it, thousands separated: 0.35, 1,000. */
export const setNumber = (value: number): string => exact.format(value);

/** A count with its noun, in the right number: "1 worker", "3 workers", "0.5 epochs". */
export const counted = (value: number, noun: string): string =>
  `${setNumber(value)}${NBSP}${noun}${value === 1 ? '' : 's'}`;

/** The decimals that leave about three digits, never more than `max`. */
export function threeDigits(value: number, max = 3): number {
  const size = Math.abs(value);
  return Math.min(max, size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3);
}

type Maybe = number | null | undefined;
const isKnown = (value: Maybe): value is number => typeof value === 'number' && Number.isFinite(value);

/** A number with this many decimals, or the sign that there is none. */
export const fixed = (value: Maybe, digits: number): string => (isKnown(value) ? decimal(value, digits) : NOTHING);

/** A loss with three significant digits, and never more than three decimals. */
export function loss(value: Maybe): string {
  if (value === null || value === undefined) return NOTHING;
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'not a number' : 'infinite';
  return value !== 0 && Math.abs(value) < 0.001 ? value.toExponential(1) : value.toFixed(threeDigits(value));
}

/** A share between 0 and 1 as percent with one decimal: 91.7 %. What is there but rounds to nothing is said to be: <1 %. */
export function percent(share: Maybe, digits = 1): string {
  if (!isKnown(share)) return NOTHING;
  const least = 10 ** -digits;
  const text = share > 0 && share * 100 < least / 2 ? `<${least}` : (share * 100).toFixed(digits);
  return `${text}${NBSP}%`;
}

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Bytes in decimal units with up to three digits: 31.4 kB, 4.2 MB. */
export function bytes(value: Maybe): string {
  if (!isKnown(value)) return NOTHING;
  // 999.5 would round to four digits.
  const power = byteUnits.findIndex((_, at) => value / 1000 ** at < 999.5 || at === byteUnits.length - 1);
  const scaled = value / 1000 ** power;
  return `${scaled.toFixed(power === 0 || scaled >= 99.95 ? 0 : 1)}${NBSP}${byteUnits[power]}`;
}

/** Bytes always in MB, for columns that are read downwards: 0.03, 4.20, 1,240. */
export const megabytes = (value: number): string => decimal(value / 1e6, threeDigits(value / 1e6, 2));

/** Something per second: 0.4, 12.3, 4,210. */
export const rate = (perSecond: number): string => fixed(perSecond, threeDigits(perSecond, 1));

/** A stopwatch: 0:42, 12:05, 1:02:05. */
export function clock(milliseconds: number): string {
  const total = Math.max(0, Math.floor(milliseconds / 1000));
  const hours = Math.floor(total / 3600);
  const minutes = Math.floor(total / 60) % 60;
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${hours > 0 ? `${hours}:${pad(minutes)}` : minutes}:${pad(total % 60)}`;
}

/** A measured time with three digits or so, and no more decimals than clocks tell: 340 ms, 4.21 s, 83.0 s, 12.4 min. */
export function duration(milliseconds: Maybe): string {
  if (!isKnown(milliseconds)) return NOTHING;
  if (milliseconds > 0 && milliseconds < 0.05) return `<0.1${NBSP}ms`;
  if (milliseconds < 999.5)
    return `${milliseconds.toFixed(milliseconds < 9.95 && milliseconds !== 0 ? 1 : 0)}${NBSP}ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 120) return `${seconds.toFixed(threeDigits(seconds))}${NBSP}s`;
  const minutes = seconds / 60;
  return minutes < 120 ? `${minutes.toFixed(1)}${NBSP}min` : `${(minutes / 60).toFixed(1)}${NBSP}h`;
}

/** A guess of time, as rough as it is: "5 s", "40 s", "3 min", "2 h". */
export function roughly(milliseconds: Maybe): string {
  if (!isKnown(milliseconds)) return NOTHING;
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${Math.max(1, Math.round(seconds))}${NBSP}s`;
  if (seconds < 55) return `${Math.round(seconds / 5) * 5}${NBSP}s`;
  if (seconds < 5400) return `${Math.max(1, Math.round(seconds / 60))}${NBSP}min`;
  return `${Math.round(seconds / 3600)}${NBSP}h`;
}

/** The day and time of a moment, in the reader's own zone. */
export const moment = (epochMs: number): string =>
  new Date(epochMs).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** The time of day of a moment, in the reader's own zone. */
export const timeOfDay = (epochMs: number, hasSeconds = false): string =>
  new Date(epochMs).toLocaleTimeString(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    ...(hasSeconds ? { second: '2-digit' } : {}),
  });

/** Names as a sentence has them: a, b and c. */
export const listed = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** The first of many names, and how many more there are: a, b and 3 more. */
export const few = (names: readonly string[], max: number): string =>
  listed(names.length <= max ? names : [...names.slice(0, max - 1), `${count(names.length - max + 1)} more`]);

/** Between a number and its unit, so that a line never breaks there. */
const NBSP = '\u00a0';
/** Shown where there is no number yet; as wide as a digit in tabular numerals. */
export const NOTHING = '–';

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** A whole number with thousands separated: 1,240. */
export const count = (value: number): string => grouped.format(value);

/** A count with its noun, in the right number: "1 worker", "3 workers". */
export const counted = (value: number, noun: string): string =>
  `${count(value)}${NBSP}${noun}${value === 1 ? '' : 's'}`;

/** A loss with three significant digits, and never more than four decimals. */
export function loss(value: number | null | undefined): string {
  if (value === null || value === undefined) return NOTHING;
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'not a number' : 'infinite';
  if (value !== 0 && Math.abs(value) < 0.001) return value.toExponential(1);
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 1 ? 2 : 3);
}

/** A share between 0 and 1 as percent with one decimal: 91.7 %. */
export const percent = (share: number | null | undefined, digits = 1): string =>
  share === null || share === undefined || !Number.isFinite(share)
    ? NOTHING
    : `${(share * 100).toFixed(digits)}${NBSP}%`;

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Bytes in decimal units with up to three digits: 31.4 kB, 4.2 MB. */
export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NOTHING;
  let scaled = value;
  let unit = 0;
  // 999.5 would round to four digits.
  while (scaled >= 999.5 && unit < byteUnits.length - 1) {
    scaled /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || scaled >= 99.95 ? 0 : 1;
  return `${scaled.toFixed(digits)}${NBSP}${byteUnits[unit]}`;
}

/** Bytes always in MB, for columns that are read downwards: 0.03, 4.2, 1,240. */
export const megabytes = (value: number): string => {
  const mb = value / 1e6;
  return mb >= 100 ? count(mb) : mb.toFixed(mb >= 10 ? 1 : 2);
};

/** Something per second: 0.4, 12.3, 4,210. */
export const rate = (perSecond: number): string =>
  !Number.isFinite(perSecond) ? NOTHING : perSecond >= 100 ? count(perSecond) : perSecond.toFixed(1);

/** A stopwatch: 0:42, 12:05, 1:02:05. */
export function clock(milliseconds: number): string {
  const total = Math.max(0, Math.floor(milliseconds / 1000));
  const hours = Math.floor(total / 3600);
  const minutes = Math.floor(total / 60) % 60;
  const seconds = String(total % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${seconds}` : `${minutes}:${seconds}`;
}

/** A measured time with three digits or so: 340 ms, 4.21 s, 83.0 s, 12.4 min. */
export function duration(milliseconds: number | null | undefined): string {
  if (milliseconds === null || milliseconds === undefined || !Number.isFinite(milliseconds)) return NOTHING;
  if (milliseconds < 999.5) return `${milliseconds.toFixed(milliseconds < 9.95 ? 1 : 0)}${NBSP}ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 120) return `${seconds.toFixed(seconds < 9.995 ? 2 : 1)}${NBSP}s`;
  const minutes = seconds / 60;
  return minutes < 120 ? `${minutes.toFixed(1)}${NBSP}min` : `${(minutes / 60).toFixed(1)}${NBSP}h`;
}

/** A guess of time, as rough as it is: "5 s", "40 s", "3 min", "2 h". */
export function roughly(milliseconds: number | null): string {
  if (milliseconds === null || !Number.isFinite(milliseconds)) return NOTHING;
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

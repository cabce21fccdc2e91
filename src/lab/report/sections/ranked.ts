import { isApart, type Measured } from '../../measured.ts';
import type { NumberFormat } from '../number-words.ts';
import type { Setting } from './subject.ts';

/** A setting with what it is compared by, and how that is written. */
export interface Ranked {
  readonly setting: Setting;
  readonly value: Measured;
  readonly format: NumberFormat;
}

/** Best first; those that have no such number are left out. */
export function ranked(
  settings: readonly Setting[],
  read: (setting: Setting) => Measured | null,
  format: NumberFormat,
  isMoreBetter = false,
): Ranked[] {
  const known = settings.flatMap((setting) => {
    const value = read(setting);
    return value === null ? [] : [{ setting, value, format }];
  });
  return known.sort((a, b) => (a.value.mean - b.value.mean) * (isMoreBetter ? -1 : 1));
}

/** Times of machines that do other things too differ by this much from run to run. */
const CHANCE = 1.1;

/** Whether one may be called faster: by the spread, or where nothing was repeated, by more than chance would do. */
export function isFaster(fast: Measured, slow: Measured): boolean {
  const isRepeated = fast.spread !== null || slow.spread !== null;
  return isRepeated ? slow.mean > fast.mean && isApart(fast, slow) : slow.mean > fast.mean * CHANCE;
}

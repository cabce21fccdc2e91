import { setNumber } from '../../../observe/format.ts';
import { isApart, type Measured } from '../../measured.ts';
import { counts, finePercents, type NumberFormat, rates, seconds, stepTimes } from '../number-words.ts';
import type { Setting } from './subject.ts';

/** Something that settings are compared by. */
export interface Quantity {
  readonly title: string;
  readonly format: NumberFormat;
  readonly read: (setting: Setting) => Measured | null;
}

export const quantity = (title: string, format: NumberFormat, read: Quantity['read']): Quantity => ({
  title,
  format,
  read,
});

export const timeToTarget = (target: number): Quantity =>
  quantity(`Time to a test loss of ${setNumber(target)}`, seconds, ({ secondsToTarget }) => secondsToTarget);
export const epochTime = quantity('Time of an epoch', seconds, ({ epochSeconds }) => epochSeconds);
export const stepTime = quantity('Time of a step', stepTimes, ({ stepSeconds }) => stepSeconds);
export const stepCount = quantity('Steps', counts, ({ steps }) => steps);
export const testAccuracy = quantity('Test accuracy', finePercents, ({ accuracy }) => accuracy);
export const exampleRate = quantity('Examples per second', rates, ({ examplesPerSecond }) => examplesPerSecond);

/** A setting with what it is compared by, and how that is written. */
export interface Ranked {
  readonly setting: Setting;
  readonly value: Measured;
  readonly format: NumberFormat;
}

/** Lowest first; those that have no such number are left out. */
export function ranked(settings: readonly Setting[], { read, format }: Quantity): Ranked[] {
  const known = settings.flatMap((setting) => {
    const value = read(setting);
    return value === null ? [] : [{ setting, value, format }];
  });
  return known.sort((a, b) => a.value.mean - b.value.mean);
}

/** Times of machines that do other things too differ by this much from run to run. */
const CHANCE = 1.1;

/** Whether one may be called faster: by the spread, or where nothing was repeated, by more than chance would do. */
export function isFaster(fast: Measured, slow: Measured): boolean {
  const isRepeated = fast.spread !== null || slow.spread !== null;
  return isRepeated ? slow.mean > fast.mean && isApart(fast, slow) : slow.mean > fast.mean * CHANCE;
}

import { isApart, type Measured } from '../../measured.ts';

/** Times of machines that do other things too differ by this much from run to run. */
const CHANCE = 1.1;

/** Whether one may be called faster: by the spread, or where nothing was repeated, by more than chance would do. */
export function isFaster(fast: Measured, slow: Measured): boolean {
  const isRepeated = fast.spread !== null || slow.spread !== null;
  return isRepeated ? slow.mean > fast.mean && isApart(fast, slow) : slow.mean > fast.mean * CHANCE;
}

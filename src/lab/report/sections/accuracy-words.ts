import type { Experiment } from '../../../experiment/experiment.ts';
import { resolveExperiment } from '../../../models/plan.ts';
import { counted } from '../../../observe/format.ts';
import { isApart } from '../../measured.ts';
import { isAsLong } from '../../summary.ts';
import { finePercents, measuredWords, withUnit } from '../number-words.ts';
import { type Ranked, ranked, testAccuracy } from './quantities.ts';
import type { Setting } from './subject.ts';

/** How far test accuracies differ, in a sentence that tells apart only what repeats or the test set's size allow; null if none is known. */
export function accuracyWords(settings: readonly Setting[], target: number | null): string | null {
  const order = ranked(settings, testAccuracy).reverse();
  const [best, last] = [order[0], order.at(-1)];
  if (best === undefined || last === undefined) return null;
  if (order.length === 1) return `The test accuracy was ${measuredWords(best.value, finePercents)}.`;
  const range = `${withUnit(last.value.mean, finePercents)} to ${withUnit(best.value.mean, finePercents)}`;
  if (best.value.mean === last.value.mean)
    return `The test accuracy was ${withUnit(best.value.mean, finePercents)} in all settings.`;
  if (order.every(({ value }) => value.spread === null))
    return onceAccuracyWords(best, last, target !== null || isAsLong(settings));
  if (!isApart(best.value, last.value)) return `Test accuracy (${range}) does not differ beyond the spread.`;
  const isClear = order.slice(1).every(({ value }) => isApart(best.value, value));
  return `Test accuracy went from ${range}${isClear ? `, the highest with ${best.setting.name}` : ''}.`;
}

/** Without repeats only the size of the test set says what chance may do: two standard errors of a difference. */
function onceAccuracyWords(best: Ranked, last: Ranked, isFair: boolean): string {
  const after = isFair ? '' : ' after different numbers of epochs';
  const [high, low] = [best.value.mean, last.value.mean];
  const [from, to] = [withUnit(low, finePercents), withUnit(high, finePercents)];
  const count = testCount(best.setting.experiment);
  if (count === null || count !== testCount(last.setting.experiment))
    return `Test accuracy went from ${from} to ${to}${after}.`;
  const middle = (high + low) / 2;
  return high - low > 2 * Math.sqrt((2 * middle * (1 - middle)) / count)
    ? `Test accuracy went from ${from} with ${last.setting.name} to ${to} with ${best.setting.name}${after}.`
    : `Test accuracy went from ${from} to ${to}${after}, which ${counted(count, 'test example')} cannot tell apart.`;
}

/** Null where it is not known before, or where this version knows no such data. */
function testCount(experiment: Experiment): number | null {
  try {
    return resolveExperiment(experiment).data.testCount;
  } catch {
    return null;
  }
}

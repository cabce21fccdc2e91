import { resolveExperiment } from '../../models/plan.ts';
import { isApart, type Measured } from '../measured.ts';
import { workersOf } from '../summary.ts';
import { isFaster } from './faster.ts';
import {
  chosen,
  counted,
  finePercents,
  listed,
  measuredWords,
  type NumberFormat,
  ratios,
  seconds,
  withUnit,
} from './number-words.ts';
import { scalingWords, type Timed } from './scaling.ts';
import type { Setting, Subject } from './subject.ts';

/** Best first; those that have no such number are left out. */
function ranked(
  settings: readonly Setting[],
  read: (setting: Setting) => Measured | null,
  isMoreBetter = false,
): Timed[] {
  const known = settings.flatMap((setting) => {
    const value = read(setting);
    return value === null ? [] : [{ setting, value }];
  });
  return known.sort((a, b) => (a.value.mean - b.value.mean) * (isMoreBetter ? -1 : 1));
}

/** The answer to the sweep's question in a few sentences, none of which claims more than the spread over repeats allows. */
export function answer({ settings, target }: Subject): string {
  const reached = ranked(settings, ({ secondsToTarget }) => secondsToTarget);
  if (target !== null && reached.length > 0) {
    const goal = `a test loss of ${chosen(target)}`;
    const never = settings.filter(({ reports, secondsToTarget }) => reports.length > 0 && secondsToTarget === null);
    return sentences([
      ...fastest(reached, `reached ${goal} first, in`, `reached ${goal} soonest`),
      never.length === 0 ? null : `${listed(never.map(({ name }) => name))} never reached it.`,
      accuracyWords(settings),
      onceWords(reached),
    ]);
  }
  const epochs = ranked(settings, ({ epochSeconds }) => epochSeconds);
  if (epochs.length === 0) return 'No run has come to its end yet, so there is no answer.';
  return sentences([
    target === null ? null : `No setting reached a test loss of ${chosen(target)}.`,
    ...epochWords(epochs),
    accuracyWords(settings),
    onceWords(epochs),
  ]);
}

/** Epochs are compared where they are the same work; each kind of work apart. */
function epochWords(epochs: readonly Timed[]): (string | null)[] {
  const works = [...new Set(epochs.map(workOf))].map((work) => epochs.filter((row) => workOf(row) === work));
  const alike = works.filter((rows) => rows.length > 1);
  if (works.length === 1) return fastest(epochs, 'had the shortest epochs,', 'had the shortest epochs');
  return [
    'Epochs of different models or data are different work and are not compared.',
    ...alike.slice(0, 3).map((rows) => {
      const { model, data } = (rows[0] as Timed).setting.experiment;
      return `${model} on ${data}: ${fastest(rows, 'had the shortest epochs,', 'had the shortest epochs')[0]}`;
    }),
  ];
}

/** The same for settings that go through as many examples with as many parameters. */
function workOf({ setting: { experiment } }: Timed): string {
  const { model, data } = experiment;
  try {
    const { schema, trainCount } = resolveExperiment(experiment);
    return `${data} ${trainCount} ${schema.size}`;
  } catch {
    // A file from another version may name what this one does not know.
    return `${data} ${model}`;
  }
}

/** In a sentence a name like sync × 3 must not be broken over two lines. */
const sentences = (parts: readonly (string | null)[]): string =>
  parts
    .filter((part) => part !== null)
    .join(' ')
    .replaceAll(' × ', '\u00a0×\u00a0');
const timesAs = (slow: Measured, fast: Measured): string => withUnit(slow.mean / fast.mean, ratios);

function fastest(order: readonly Timed[], alone: string, together: string): (string | null)[] {
  const [best, ...others] = order as [Timed, ...Timed[]];
  // Up to the last that cannot be told from the best: those between the two cannot be ranked either.
  const reach = others.findLastIndex(({ value }) => !isFaster(best.value, value)) + 1;
  const level = others.slice(0, reach);
  const next = others[reach];
  const withTime = ({ setting, value }: Timed) => `${setting.name} (${measuredWords(value, seconds)})`;
  const first =
    level.length === 0
      ? `${best.setting.name} ${alone} ${measuredWords(best.value, seconds)}${others.length === 0 ? '' : nextWords(next, best)}.`
      : `${few([best, ...level].map(withTime))} ${together}; they differ by less than ${chanceWords([best, ...level])}, so none of them can be called faster.`;
  const isBaseline = (lone: Timed, many: Timed) => lone === loneOf(order) && many === manyOf(order);
  return [first, baselineWords(order), scalingWords(order, isBaseline), slowestWords(order, best)];
}

const chanceWords = (rows: readonly Timed[]): string =>
  rows.some(({ value }) => value.spread !== null) ? 'their spread over repeats' : '10\u00a0%';

const nextWords = (next: Timed | undefined, best: Timed): string =>
  next === undefined ? '' : `; the next, ${next.setting.name}, took ${timesAs(next.value, best.value)} as long`;

/** More names than a sentence can bear are counted. */
const few = (names: readonly string[]): string =>
  names.length <= 4 ? listed(names) : listed([...names.slice(0, 3), `${names.length - 3} more`]);

/** The best of several workers. */
const manyOf = (order: readonly Timed[]): Timed | undefined => order.find((row) => !isLone(row));
const isLone = ({ setting: { experiment } }: Timed): boolean => workersOf(experiment) === 1;
/** What several workers are held against: one worker, of the same batch size and single if possible. */
function loneOf(order: readonly Timed[]): Timed | undefined {
  const many = manyOf(order)?.setting.experiment;
  const likeness = ({ setting: { experiment } }: Timed) =>
    (experiment.batch === many?.batch ? 4 : 0) +
    (experiment.strategy === 'single' ? 2 : 0) +
    (experiment.strategy === many?.strategy ? 1 : 0);
  return order.filter(isLone).sort((a, b) => likeness(b) - likeness(a))[0];
}

/** One worker against several: whether working together was worth it. Single is the baseline where there is one. */
function baselineWords(order: readonly Timed[]): string | null {
  const lone = loneOf(order);
  const many = manyOf(order);
  if (lone === undefined || many === undefined) return null;
  const { name } = lone.setting;
  const [fast, slow] = lone.value.mean < many.value.mean ? [lone, many] : [many, lone];
  if (!isFaster(fast.value, slow.value)) {
    return `With several workers the best, ${many.setting.name}, cannot be told from ${name}.`;
  }
  if (many.value.mean > lone.value.mean) {
    return `Adding workers did not help: the best of several, ${many.setting.name}, took ${timesAs(many.value, lone.value)} as long as ${name}.`;
  }
  return `${many.setting.name} was ${timesAs(lone.value, many.value)} as fast as ${name} (${measuredWords(lone.value, seconds)}).`;
}

function slowestWords(order: readonly Timed[], best: Timed): string | null {
  const slowest = order.at(-1);
  // Single is what the sentence before is about.
  if (slowest === undefined || order.length < 3 || slowest === loneOf(order) || !isFaster(best.value, slowest.value))
    return null;
  return `The slowest, ${slowest.setting.name}, took ${timesAs(slowest.value, best.value)} as long as the fastest.`;
}

function accuracyWords(settings: readonly Setting[]): string | null {
  const order = ranked(settings, ({ accuracy }) => accuracy, true);
  const [best, last] = [order[0], order.at(-1)];
  if (best === undefined || last === undefined) return null;
  const format: NumberFormat = finePercents;
  if (order.length === 1) return `The test accuracy was ${measuredWords(best.value, format)}.`;
  const range = `${withUnit(last.value.mean, format)} to ${withUnit(best.value.mean, format)}`;
  if (best.value.mean === last.value.mean)
    return `The test accuracy was ${withUnit(best.value.mean, format)} in all settings.`;
  if (order.every(({ value }) => value.spread === null)) return `Test accuracy went from ${range}.`;
  if (!isApart(best.value, last.value)) return `Test accuracy (${range}) does not differ beyond the spread.`;
  const isClear = order.slice(1).every(({ value }) => isApart(best.value, value));
  return `Test accuracy went from ${range}${isClear ? `, the highest with ${best.setting.name}` : ''}.`;
}

function onceWords(order: readonly Timed[]): string | null {
  if (order.length < 2 || order.some(({ value }) => value.n > 1)) return null;
  return `Each of the ${counted(order.length, 'setting')} ran once, so the spread is not known: do not build on small differences.`;
}

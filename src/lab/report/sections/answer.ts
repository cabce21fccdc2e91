import type { Experiment } from '../../../experiment/experiment.ts';
import { resolveExperiment } from '../../../models/plan.ts';
import { counted, few, listed, setNumber } from '../../../observe/format.ts';
import type { Measured } from '../../measured.ts';
import { workersOf } from '../../summary.ts';
import { measuredWords, ratios, withUnit } from '../number-words.ts';
import { accuracyWords } from './accuracy-words.ts';
import { epochTime, isFaster, type Ranked, ranked, stepTime, timeToTarget } from './quantities.ts';
import { scalingWords } from './scaling-words.ts';
import type { Setting, Subject } from './subject.ts';

/** More names than this a sentence cannot bear. */
const MAX_NAMED = 4;

/** The answer to the sweep's question in a few sentences, none of which claims more than the spread over repeats allows. */
export function answer({ settings, target }: Subject): string {
  const reached = target === null ? [] : ranked(settings, timeToTarget(target));
  if (target !== null && reached.length > 0) {
    const goal = `a test loss of ${setNumber(target)}`;
    const never = settings.filter(({ reports, secondsToTarget }) => reports.length > 0 && secondsToTarget === null);
    return sentences([
      ...fastest(reached, `reached ${goal} first, in`, `reached ${goal} soonest`),
      never.length === 0 ? null : `${listed(never.map(({ name }) => name))} never reached it.`,
      accuracyWords(settings, target),
      onceWords(reached),
    ]);
  }
  const paces = ranked(settings, isByStep(settings) ? stepTime : epochTime);
  if (paces.length === 0) return 'No run has come to its end yet, so there is no answer.';
  return sentences([
    target === null ? null : `No setting reached a test loss of ${setNumber(target)}.`,
    ...paceWords(paces, isByStep(settings) ? 'steps' : 'epochs'),
    accuracyWords(settings, target),
    onceWords(paces),
  ]);
}

/** Runs of so many steps, each over as many examples, are a question about steps: no run comes near an epoch. */
function isByStep(settings: readonly Setting[]): boolean {
  const experiments = settings.map(({ experiment }) => experiment);
  const examples = ({ strategy, workers, batch, localSteps }: Experiment) =>
    JSON.stringify([strategy, workers, batch, localSteps]);
  return (
    experiments.every(({ epochs, maxSteps }) => epochs === null && maxSteps !== null) &&
    new Set(experiments.map(examples)).size === 1
  );
}

/** Epochs, or steps, are compared where they are the same work; each kind of work apart. */
function paceWords(paces: readonly Ranked[], what: 'epochs' | 'steps'): (string | null)[] {
  const works = [...new Set(paces.map(workOf))].map((work) => paces.filter((row) => workOf(row) === work));
  const alike = works.filter((rows) => rows.length > 1);
  const shortest = `had the shortest ${what}`;
  if (works.length === 1) return fastest(paces, `${shortest},`, shortest);
  return [
    `${what === 'steps' ? 'Steps' : 'Epochs'} of different models or data are different work and are not compared.`,
    ...alike.slice(0, 3).map((rows) => {
      const { model, data } = (rows[0] as Ranked).setting.experiment;
      return `${model} on ${data}: ${fastest(rows, `${shortest},`, shortest)[0]}`;
    }),
  ];
}

/** The same for settings that go through as many examples with as many parameters. */
function workOf({ setting: { experiment } }: Ranked): string {
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

function fastest(order: readonly Ranked[], alone: string, together: string): (string | null)[] {
  const [best, ...others] = order as [Ranked, ...Ranked[]];
  // Up to the last that cannot be told from the best: those between the two cannot be ranked either.
  const reach = others.findLastIndex(({ value }) => !isFaster(best.value, value)) + 1;
  const level = others.slice(0, reach);
  const next = others[reach];
  const isBaseline = (lone: Ranked, many: Ranked | undefined) => lone === loneOf(order) && many === manyOf(order);
  const withTime = ({ setting, value, format }: Ranked) => `${setting.name} (${measuredWords(value, format)})`;
  const first =
    level.length === 0
      ? `${best.setting.name} ${alone} ${measuredWords(best.value, best.format)}${isBaseline(best, next) ? '' : nextWords(next, best)}.`
      : `${few([best, ...level].map(withTime), MAX_NAMED)} ${together}; they differ by less than ${chanceWords([best, ...level])}, so none of them can be called faster.`;
  return [first, baselineWords(order), scalingWords(order, isBaseline), slowestWords(order, best)];
}

const chanceWords = (rows: readonly Ranked[]): string =>
  rows.some(({ value }) => value.spread !== null) ? 'their spread over repeats' : '10\u00a0%';

const nextWords = (next: Ranked | undefined, best: Ranked): string =>
  next === undefined ? '' : `; the next, ${next.setting.name}, took ${timesAs(next.value, best.value)} as long`;

/** The best of several workers. */
const manyOf = (order: readonly Ranked[]): Ranked | undefined => order.find((row) => !isLone(row));
const isLone = ({ setting: { experiment } }: Ranked): boolean => workersOf(experiment) === 1;
/** What several workers are held against: one worker, of the same batch size and single if possible. */
function loneOf(order: readonly Ranked[]): Ranked | undefined {
  const many = manyOf(order)?.setting.experiment;
  const likeness = ({ setting: { experiment } }: Ranked) =>
    (experiment.batch === many?.batch ? 4 : 0) +
    (experiment.strategy === 'single' ? 2 : 0) +
    (experiment.strategy === many?.strategy ? 1 : 0);
  return order.filter(isLone).sort((a, b) => likeness(b) - likeness(a))[0];
}

/** One worker against several: whether working together was worth it. Single is the baseline where there is one. */
function baselineWords(order: readonly Ranked[]): string | null {
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
  return `${many.setting.name} was ${timesAs(lone.value, many.value)} as fast as ${name} (${measuredWords(lone.value, lone.format)}).`;
}

function slowestWords(order: readonly Ranked[], best: Ranked): string | null {
  const slowest = order.at(-1);
  // Single is what the sentence before is about.
  if (slowest === undefined || order.length < 3 || slowest === loneOf(order) || !isFaster(best.value, slowest.value))
    return null;
  return `The slowest, ${slowest.setting.name}, took ${timesAs(slowest.value, best.value)} as long as the fastest.`;
}

function onceWords(order: readonly Ranked[]): string | null {
  if (order.length < 2 || order.some(({ value }) => value.n > 1)) return null;
  return `Each of the ${counted(order.length, 'setting')} ran once, so the spread is not known: do not build on small differences.`;
}

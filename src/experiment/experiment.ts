import * as z from 'zod/mini';
import { type Problem, ProblemsError } from './problems.ts';
import { type Context, problemWith, readValue, type Setting, schemaOf, valueWords, writeValue } from './setting.ts';
import { type Experiment, type ExperimentKey, settings } from './settings.ts';

export type { Experiment, ExperimentKey } from './settings.ts';
export type StrategyName = Experiment['strategy'];
export type OptimizerName = Experiment['optimizer'];
export type AggregateName = Experiment['aggregate'];
export type CodecName = Experiment['up'];

const namesOf = <Name extends string>({ choices }: { readonly choices: Readonly<Record<Name, string>> }) =>
  Object.keys(choices) as Name[];
export const strategyNames = namesOf(settings.strategy);
export const aggregateNames = namesOf(settings.aggregate);
export const upNames = namesOf(settings.up);
export const downNames = namesOf(settings.down);

/** Every setting's key, in the order of the table. */
export const experimentKeys = Object.keys(settings) as ExperimentKey[];
/** A setting without the type of its value, for code that treats all alike. */
export const settingOf = (key: ExperimentKey): Setting => settings[key];
const mapped = (value: (setting: Setting) => unknown) =>
  Object.fromEntries(experimentKeys.map((key) => [key, value(settingOf(key))]));

export const defaultExperiment = mapped((setting) => setting.default) as unknown as Experiment;

/** Whether a model or data set of the experiment's name exists is checked where it is looked up. */
export const experimentSchema = z.object(
  mapped(schemaOf) as { [Key in ExperimentKey]: z.ZodMiniType<Experiment[Key]> },
);

/** What is wrong with an experiment from anywhere, setting by setting; empty: it is one. */
export function experimentProblems(input: unknown): Problem<ExperimentKey>[] {
  const values: Readonly<Record<string, unknown>> = typeof input === 'object' && input !== null ? { ...input } : {};
  return experimentKeys.flatMap((key) => {
    const text = problemWith(settingOf(key), values[key]);
    return text === null ? [] : [{ key, text }];
  });
}

/** Checks an experiment from anywhere; throws a ProblemsError. */
export function parseExperiment(input: unknown): Experiment {
  const problems = experimentProblems(input);
  if (problems.length > 0) throw new ProblemsError(problems);
  return known(input as Experiment);
}

const known = (input: Experiment): Experiment =>
  Object.fromEntries(experimentKeys.map((key) => [key, input[key]])) as unknown as Experiment;

/** Whether this setting makes a difference to such a run. */
export function isUsed(key: ExperimentKey, context: Context): boolean {
  const { strategies, isUsed = () => true } = settingOf(key);
  return (strategies?.includes(context.strategy) ?? true) && isUsed(context);
}

/** The first setting that says something else than the run would do, with what to do about it; null if all go together. */
export function conflict(experiment: Experiment): Problem<ExperimentKey> | null {
  for (const key of experimentKeys) {
    const { refusal } = settingOf(key) as { refusal?(value: unknown, context: Context): string | null };
    const text = refusal?.(experiment[key], experiment) ?? null;
    if (text !== null) return { key, text };
  }
  return null;
}

/** Where the number of workers is exact: rounds cannot do without all of them. Null: they need not. */
export const tooManyBackups = ({ backup, workers }: Experiment): Problem<'backup'> | null =>
  backup === 0 || backup < workers
    ? null
    : { key: 'backup', text: `must be less than the ${workers} workers there are` };

/** A setting with its value in a few words, for the name of a run: 40,000 examples, lr 0.2. */
export const settingWords = (key: ExperimentKey, value: unknown): string => valueWords(settingOf(key), value);

/** An experiment as URL parameters, leaving out what is as usual. Inverse of `experimentFromQuery`. */
export function experimentToQuery(experiment: Experiment): string {
  return experimentKeys
    .filter((key) => experiment[key] !== defaultExperiment[key])
    .map((key) => `${key}=${encodeURIComponent(writeValue(experiment[key])).replaceAll('%20', '+')}`)
    .join('&');
}

/** Reads what `experimentToQuery` wrote; unknown keys are ignored, missing ones are as usual. Throws a ProblemsError. */
export function experimentFromQuery(query: Iterable<readonly [string, string]>): Experiment {
  const values: Record<string, unknown> = { ...defaultExperiment };
  for (const [key, text] of query) {
    if (Object.hasOwn(settings, key)) values[key] = readValue(settingOf(key as ExperimentKey), text);
  }
  return parseExperiment(values);
}

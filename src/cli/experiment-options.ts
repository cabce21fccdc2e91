import { defaultExperiment, type Experiment, type ExperimentKey, parseExperiment } from '../experiment/experiment.ts';
import { experimentFlags, stopKeys } from '../models/experiment-flags.ts';
import { modelTitles, resolveExperiment } from '../models/plan.ts';
import { UsageError } from '../node/usage-error.ts';
import { type Given, type Options, wordOf } from './command-line.ts';
import { fileOptions, readExampleFile } from './example-file.ts';

const usual = defaultExperiment;

/** The options that make an experiment, in the order --help lists them. */
export const experimentOptions: Options = {
  ...Object.fromEntries(Object.values(experimentFlags).map(({ flag, ...option }) => [flag, option])),
  ...fileOptions,
};

/** The experiment that was typed; every mistake is a UsageError of one line. */
export function readExperiment(given: Given, workers: number): Experiment {
  wordOf(given, 'model', Object.keys(modelTitles));
  const isFile = readExampleFile(given) !== null;
  const typed: Record<string, unknown> = {};
  for (const [key, { flag }] of Object.entries(experimentFlags)) {
    const text = given[flag];
    if (text !== undefined) typed[key] = readValue(key as ExperimentKey, flag, text);
  }
  // What a file can be used for: how many examples it has and what they hold is found when it is read.
  if (isFile) Object.assign(typed, { data: 'file', model: typed.model ?? 'sparse-logistic' });
  const hasStop = stopKeys.some((key) => key in typed);
  const experiment = checked({ ...usual, ...(hasStop ? { epochs: null } : {}), ...typed, workers }, given);
  const { strategy, backup } = experiment;
  if (backup > 0 && strategy !== 'sync' && strategy !== 'local') {
    throw new UsageError(`--backup belongs to --strategy sync or local, not ${strategy}`);
  }
  if (backup >= workers) throw new UsageError(`--backup ${backup} must be less than the ${workers} workers there are`);
  return experiment;
}

function readValue(key: ExperimentKey, flag: string, text: string | boolean): unknown {
  if (typeof text === 'boolean' || typeof usual[key] === 'string') return text;
  // As in a URL: a rule that is usually on can be turned off.
  if (text === 'off') return null;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isNaN(value)) throw new UsageError(`--${flag} takes a number, not "${text}"`);
  return value;
}

/** The schema has the last word on bounds; its first complaint, under the name of the option that caused it. */
function checked(experiment: unknown, given: Given): Experiment {
  try {
    const sound = parseExperiment(experiment);
    resolveExperiment(sound);
    return sound;
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n');
    const [field = '', ...words] = line.split(': ');
    const flag = field === 'workers' ? 'workers' : experimentFlags[field as keyof typeof experimentFlags]?.flag;
    if (flag === undefined) throw new UsageError(line);
    const came = words[0]?.startsWith('must be') && given[flag] !== undefined ? `, not "${given[flag]}"` : '';
    throw new UsageError(`--${flag}: ${words.join(': ')}${came}`);
  }
}

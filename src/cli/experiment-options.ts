import {
  conflict,
  defaultExperiment,
  type Experiment,
  type ExperimentKey,
  experimentProblems,
  settingOf,
  tooManyBackups,
} from '../experiment/experiment.ts';
import { flagOf } from '../experiment/setting.ts';
import { settings, stopKeys } from '../experiment/settings.ts';
import { dataTitles, misfitOf, modelTitles } from '../models/plan.ts';
import { UsageError } from '../node/usage-error.ts';
import { type Options, type OptionValues, wordOf } from './command-line.ts';
import { fileOptions, readExampleFile } from './example-file.ts';
import { settingOptions, typedSettings, usageError } from './setting-options.ts';

const dataNames = Object.keys(dataTitles).map((name) => (name === 'file' ? 'or the path of a file' : name));

/** The options that make an experiment, in the order --help lists them. */
export const experimentOptions: Options = {
  ...settingOptions(settings, { model: Object.keys(modelTitles), data: dataNames }),
  ...fileOptions,
};

/** The experiment that was typed; every mistake is a UsageError of one line. */
export function readExperiment(given: OptionValues, workers: number): Experiment {
  wordOf(given, 'model', Object.keys(modelTitles));
  const isFile = readExampleFile(given) !== null;
  const typed = typedSettings(settings, given);
  // What a file can be used for: how many examples it has and what they hold is found when it is read.
  if (isFile) Object.assign(typed, { data: 'file', model: typed.model ?? 'sparse-logistic' });
  const hasStop = stopKeys.some((key) => key in typed);
  const values = { ...defaultExperiment, ...(hasStop ? { epochs: null } : {}), ...typed, workers };
  const [problem] = experimentProblems(values);
  if (problem !== undefined) throw usageError(problem, given);
  const experiment = values as Experiment;
  const misfit = conflict(experiment) ?? misfitOf(experiment) ?? tooManyBackups(experiment);
  if (misfit !== null) throw usageError(misfit, given);
  refuseUnused(experiment, Object.keys(typed) as ExperimentKey[]);
  return experiment;
}

/** An option that another strategy has was typed for a reason: whoever did so would wait for its effect. */
function refuseUnused({ strategy, ...experiment }: Experiment, typed: readonly ExperimentKey[]): void {
  for (const key of typed) {
    const { strategies } = settingOf(key);
    if (strategies === undefined || strategies.includes(strategy) || key === 'strategy') continue;
    if (experiment[key as keyof typeof experiment] === defaultExperiment[key]) continue;
    throw new UsageError(`--${flagOf(key)} belongs to --strategy ${strategies.join(' or ')}, not ${strategy}`);
  }
}

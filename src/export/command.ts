import {
  defaultExperiment,
  type Experiment,
  type ExperimentKey,
  experimentKeys,
  settingOf,
} from '../experiment/experiment.ts';
import { flagOf, writeValue } from '../experiment/setting.ts';
import { stopKeys } from '../experiment/settings.ts';

const words = (text: string): string => (/^[\w.,:=+/@%-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/**
 * The command that repeats an experiment in tabs of one machine, for a POSIX shell; settings that are as usual are left
 * out. `hostTrains`: the host was one of its workers; with `single` it always is.
 */
export function commandOf(experiment: Experiment, hostTrains = false): string {
  const isSingle = experiment.strategy === 'single';
  const tabs = experiment.workers - (isSingle || hostTrains ? 1 : 0);
  const parts = isSingle ? [] : [`--workers ${tabs}`, ...(hostTrains ? ['--host-trains'] : [])];
  for (const key of experimentKeys) {
    const value = experiment[key];
    if (settingOf(key).hasFlag === false || value === usual(experiment, key)) continue;
    parts.push(`--${flagOf(key)}${value === true ? '' : ` ${words(writeValue(value))}`}`);
  }
  // Only the host knows which file it was.
  return ['npm run train --', ...parts].join(' ').replace('--data file', '--data <file>');
}

/** What a setting is if it is not typed: the usual, but no number of epochs where another rule ends the run. */
function usual(experiment: Experiment, key: ExperimentKey): Experiment[ExperimentKey] {
  const hasOther = stopKeys.some((rule) => rule !== 'epochs' && experiment[rule] !== null);
  return key === 'epochs' && hasOther ? null : defaultExperiment[key];
}

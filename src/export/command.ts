import { defaultExperiment, type Experiment } from '../experiment/experiment.ts';
import { experimentFlags, stopKeys } from '../models/experiment-flags.ts';

const words = (text: string): string => (/^[\w.,:=+/@%-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/**
 * The command that repeats an experiment in tabs of one machine, for a POSIX shell; settings that are as usual are left
 * out. `hostTrains`: the host was one of its workers; with `single` it always is.
 */
export function commandOf(experiment: Experiment, hostTrains = false): string {
  const isSingle = experiment.strategy === 'single';
  const tabs = experiment.workers - (isSingle || hostTrains ? 1 : 0);
  const parts = isSingle ? [] : [`--workers ${tabs}`, ...(hostTrains ? ['--host-trains'] : [])];
  for (const [key, { flag }] of Object.entries(experimentFlags)) {
    const value = experiment[key as keyof Experiment];
    if (value === usual(experiment, key as keyof Experiment)) continue;
    parts.push(value === true ? `--${flag}` : `--${flag} ${value === null ? 'off' : words(String(value))}`);
  }
  // Only the host knows which file it was.
  return ['npm run train --', ...parts].join(' ').replace('--data file', '--data <file>');
}

/** What a field is if it is not typed: the usual, but no number of epochs where another rule ends the run. */
function usual(experiment: Experiment, key: keyof Experiment): Experiment[keyof Experiment] {
  const hasOther = stopKeys.some((rule) => rule !== 'epochs' && experiment[rule] !== null);
  return key === 'epochs' && hasOther ? null : defaultExperiment[key];
}

import type { TrainOptions } from '../headless/train.ts';
import { backendChoices } from '../models/backend.ts';
import { UsageError } from '../node/usage-error.ts';
import { numberOf, type Options, type OptionValues, wordOf } from './command-line.ts';
import { experimentOptions, readExperiment } from './experiment-options.ts';

/** More tabs than one browser is asked to hold. */
export const MAX_TABS = 64;

/** The options of the train command, in the order --help lists them. */
export const trainOptions = {
  workers: { value: 'count', describe: 'worker tabs to open (1; 0 for single, which trains in the host)' },
  host: { value: 'place', describe: 'where the parameter server is: tab, or relay for this process (tab)' },
  'host-trains': { describe: 'the host trains too, as one more worker' },
  ...experimentOptions,
  backend: { value: 'name', describe: `${backendChoices.join(', ')} (auto)` },
  json: { value: 'file', describe: 'write the whole report there' },
  out: { value: 'folder', describe: 'make a new folder with the report, curves, tables, trace and the trained model' },
  headed: { describe: 'show the browser' },
  timeout: { value: 'minutes', describe: 'give up after this long, all told (60)' },
} satisfies Options;

/** Turns what was typed into a run; every mistake is a UsageError of one line. */
export function readTrainOptions(given: OptionValues): TrainOptions {
  const isSingle = given.strategy === 'single';
  const tabs = numberOf(given, 'workers', { min: 0, max: MAX_TABS, isWhole: true }) ?? (isSingle ? 0 : 1);
  const hostTrains = isSingle || given['host-trains'] === true;
  if (isSingle && tabs > 0) throw new UsageError('--strategy single trains in the host alone: use --workers 0');
  if (tabs === 0 && !hostTrains) {
    throw new UsageError('--workers 0 leaves nobody to train: add workers or --host-trains');
  }
  const experiment = readExperiment(given, tabs + (hostTrains ? 1 : 0));
  return {
    experiment,
    tabs,
    host: wordOf(given, 'host', ['tab', 'relay']) ?? 'tab',
    hostTrains,
    backend: wordOf(given, 'backend', backendChoices) ?? 'auto',
    isHeaded: given.headed === true,
    timeoutMs: (numberOf(given, 'timeout', { min: 0.01, max: 100_000, isWhole: false }) ?? 60) * 60_000,
  };
}

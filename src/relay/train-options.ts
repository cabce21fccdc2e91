import { defaultExperiment, type Experiment, type ExperimentKey, parseExperiment } from '../core/config.ts';
import { type BackendChoice, backendChoices } from '../models/backend.ts';
import { dataSpecs } from '../models/data.ts';
import { models } from '../models/model.ts';
import { type Given, numberOf, type Options, UsageError, wordOf } from './command-line.ts';

/** One run in real tabs, ready to start. */
export interface TrainOptions {
  readonly experiment: Experiment;
  /** Worker tabs to open beside the host tab. */
  readonly tabs: number;
  readonly hostTrains: boolean;
  readonly backend: BackendChoice;
  readonly isHeaded: boolean;
  readonly timeoutMs: number;
}

const MAX_TABS = 64;
const usual = defaultExperiment;

/** The options of the train command, in the order --help lists them. */
export const trainOptions = {
  model: { value: 'name', describe: `${Object.keys(models).join(', ')} (${usual.model})` },
  data: { value: 'name', describe: `${Object.keys(dataSpecs).join(', ')} (${usual.data})` },
  strategy: { value: 'name', describe: `single, sync or async (${usual.strategy})` },
  workers: { value: 'count', describe: 'worker tabs to open (1; 0 for single, which trains in the host tab)' },
  backup: { value: 'count', describe: 'sync: a round goes on without its slowest workers (0)' },
  'host-trains': { describe: 'the host tab trains too, as one more worker' },
  batch: { value: 'count', describe: `examples per worker and step (${usual.batch})` },
  lr: { value: 'number', describe: `learning rate (${usual.lr})` },
  optimizer: { value: 'name', describe: `sgd, momentum or adam (${usual.optimizer})` },
  'eval-every': { value: 'steps', describe: `steps between two looks at the test set (${usual.evalEvery})` },
  'until-loss': { value: 'number', describe: 'stop when the test loss is this or less' },
  'max-steps': { value: 'count', describe: 'stop after this many steps' },
  epochs: { value: 'number', describe: `stop after this many passes over the data (${usual.epochs} if no other rule)` },
  minutes: { value: 'number', describe: 'stop after this much training time' },
  seed: { value: 'number', describe: `decides the order of the data and the first parameters (${usual.seed})` },
  backend: { value: 'name', describe: `${backendChoices.join(', ')} (auto)` },
  json: { value: 'file', describe: 'write the whole report there' },
  headed: { describe: 'show the browser' },
  timeout: { value: 'minutes', describe: 'give up after this long, all told (60)' },
} as const satisfies Options;

const whole = (min: number, max: number) => ({ min, max, isWhole: true });
const number = (max: number) => ({ min: 0, max, isWhole: false });

/** Turns what was typed into a run; every mistake is a UsageError of one line. */
export function readTrainOptions(given: Given): TrainOptions {
  const strategy = wordOf(given, 'strategy', ['single', 'sync', 'async']) ?? usual.strategy;
  const isSingle = strategy === 'single';
  const tabs = numberOf(given, 'workers', whole(0, MAX_TABS)) ?? (isSingle ? 0 : 1);
  const hostTrains = isSingle || given['host-trains'] === true;
  if (isSingle && tabs > 0) throw new UsageError('--strategy single trains in the host tab alone: use --workers 0');
  if (tabs === 0 && !hostTrains) {
    throw new UsageError(`--strategy ${strategy} with --workers 0 has nobody to train: add workers or --host-trains`);
  }
  const workers = tabs + (hostTrains ? 1 : 0);
  const backup = numberOf(given, 'backup', whole(0, 999)) ?? 0;
  if (backup > 0 && strategy !== 'sync') throw new UsageError(`--backup belongs to --strategy sync, not ${strategy}`);
  if (backup >= workers) throw new UsageError(`--backup ${backup} must be less than the ${workers} workers there are`);

  const stops = {
    untilLoss: numberOf(given, 'until-loss', number(1000)) ?? null,
    maxSteps: numberOf(given, 'max-steps', whole(1, 1e9)) ?? null,
    epochs: numberOf(given, 'epochs', number(100_000)) ?? null,
    minutes: numberOf(given, 'minutes', number(100_000)) ?? null,
  };
  const hasStop = Object.values(stops).some((stop) => stop !== null);
  return {
    experiment: checked({
      model: wordOf(given, 'model', Object.keys(models)) ?? usual.model,
      data: wordOf(given, 'data', Object.keys(dataSpecs)) ?? usual.data,
      strategy,
      workers,
      backup,
      batch: numberOf(given, 'batch', whole(1, 60_000)) ?? usual.batch,
      lr: numberOf(given, 'lr', number(1000)) ?? usual.lr,
      optimizer: wordOf(given, 'optimizer', ['sgd', 'momentum', 'adam']) ?? usual.optimizer,
      evalEvery: numberOf(given, 'eval-every', whole(1, 1e6)) ?? usual.evalEvery,
      ...stops,
      epochs: hasStop ? stops.epochs : usual.epochs,
      seed: numberOf(given, 'seed', whole(0, 2 ** 31 - 1)) ?? usual.seed,
    }),
    tabs,
    hostTrains,
    backend: wordOf(given, 'backend', backendChoices) ?? 'auto',
    isHeaded: given.headed === true,
    timeoutMs: (numberOf(given, 'timeout', number(100_000)) ?? 60) * 60_000,
  };
}

const flags: Partial<Record<ExperimentKey, string>> = {
  evalEvery: 'eval-every',
  untilLoss: 'until-loss',
  maxSteps: 'max-steps',
};

/** The schema has the last word on bounds; its first complaint, under the name of the option that caused it. */
function checked(experiment: Experiment): Experiment {
  try {
    return parseExperiment(experiment);
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n');
    const [field = '', ...words] = line.split(': ');
    throw new UsageError(`--${flags[field as ExperimentKey] ?? field}: ${words.join(': ')}`);
  }
}

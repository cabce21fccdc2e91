import {
  defaultExperiment,
  type Experiment,
  type ExperimentKey,
  experimentKeys,
  isUsed,
} from '../../../experiment/experiment.ts';
import { stopKeys } from '../../../experiment/settings.ts';
import { dataTitles, modelTitles } from '../../../models/plan.ts';
import { counted, setNumber } from '../../../observe/format.ts';
import { type Subject, wordsOf } from './subject.ts';

const named: readonly ExperimentKey[] = ['strategy', 'workers', 'batch', 'optimizer', 'lr', 'evalEvery'];

/** What all runs had in common, in a sentence: what does not vary is in no table. */
export function commonWords({ settings }: Subject): string {
  const experiments = settings.map(({ experiment }) => experiment);
  const [first] = experiments;
  if (first === undefined) return '';
  const isShared = (key: ExperimentKey) => experiments.every((experiment) => experiment[key] === first[key]);
  const shared = named.filter(isShared).map((key) => sharedWords(first, key));
  const elsewhere: readonly ExperimentKey[] = [...named, ...stopKeys, 'seed', 'emulate', 'model', 'data'];
  const unusual = experimentKeys.filter((key) => {
    const isUnusual = !elsewhere.includes(key) && isShared(key) && first[key] !== defaultExperiment[key];
    return isUnusual && experiments.some((experiment) => isUsed(key, experiment));
  });
  const ends = stopKeys.filter((key) => isShared(key) && first[key] !== null).map((key) => stopRule(first, key));
  const all = [...shared, ...unusual.map((key) => wordsOf(first, [key]))].filter((part) => part !== '');
  const models = isShared('model') ? [titleOf(modelTitles, first.model)] : [];
  const task = isShared('data') ? [[...models, titleOf(dataTitles, first.data)].join(' on ')] : models;
  return `All runs: ${[...task, ...all].join(', ')}.${ends.length === 0 ? '' : ` A run ends ${ends.join(', or ')}.`}`;
}

const sharedWords = (experiment: Experiment, key: ExperimentKey): string =>
  ({
    batch: `batches of ${setNumber(experiment.batch)} per worker`,
    lr: `learning rate ${experiment.lr}`,
    evalEvery: `evaluated every ${counted(experiment.evalEvery, 'step')}`,
  })[key as string] ?? wordsOf(experiment, [key]);

const stopNouns = { maxSteps: 'step', epochs: 'epoch', minutes: 'minute' };
const stopRule = (experiment: Experiment, key: 'untilLoss' | keyof typeof stopNouns): string =>
  key === 'untilLoss'
    ? `at a test loss of ${setNumber(experiment[key] ?? 0)}`
    : `after ${counted(experiment[key] ?? 0, stopNouns[key])}`;

const titleOf = (titles: Readonly<Record<string, string>>, name: string): string => titles[name] ?? name;

import { emulatedWords } from '../../experiment/emulated.ts';
import {
  defaultExperiment,
  type Experiment,
  type ExperimentKey,
  experimentKeys,
  isUsed,
  settingOf,
  settingWords,
} from '../../experiment/experiment.ts';

/** Settings that are part of the title of every run that uses them, even if they are as usual. */
const alwaysSaid: readonly ExperimentKey[] = ['batch', 'lr', 'topk', 'lead', 'localSteps'];
/** Settings that say what is trained and until when, not how. */
const elsewhere: readonly ExperimentKey[] = ['model', 'data', 'strategy', 'workers', 'emulate', 'evalEvery', 'seed'];

/** A run in a few words with all that sets it apart, so that two different runs are told apart by it. */
export const runTitle = (experiment: Experiment): string =>
  (experiment.model === defaultExperiment.model ? '' : `${experiment.model} · `) + settingsTitle(experiment);

/** The same where the model is named beside it. */
export function settingsTitle(experiment: Experiment): string {
  const { strategy, workers } = experiment;
  const said = experimentKeys.filter((key) => {
    const isUsual = experiment[key] === defaultExperiment[key] && !alwaysSaid.includes(key);
    return !elsewhere.includes(key) && settingOf(key).section !== 'stop' && !isUsual && isUsed(key, experiment);
  });
  const parts = [strategy === 'single' ? 'single' : `${strategy} ×${workers}`];
  parts.push(...said.map((key) => settingWords(key, experiment[key])));
  if (emulatedWords(experiment) !== null) parts.push('emulated');
  return parts.join(' · ');
}

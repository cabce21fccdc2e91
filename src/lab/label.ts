import {
  defaultExperiment,
  type Experiment,
  type ExperimentKey,
  experimentKeys,
  isUsed,
  settingWords,
} from '../experiment/experiment.ts';

/** For each experiment what sets it apart from the others, in as few words as that takes; empty if there is only one. */
export function labelsOf(experiments: readonly Experiment[]): string[] {
  const keys: ExperimentKey[] = [];
  const told = (experiment: Experiment) => JSON.stringify(keys.map((key) => experiment[key]));
  for (const key of experimentKeys) {
    const seen = new Map<string, unknown>();
    const tells = experiments.some((experiment) => {
      const before = told(experiment);
      if (!seen.has(before)) seen.set(before, experiment[key]);
      return seen.get(before) !== experiment[key];
    });
    if (tells) keys.push(key);
  }
  // A number of workers that follows from the strategy is told all the same: it is what one looks for.
  const isPair = keys.includes('strategy') && new Set(experiments.map(({ workers }) => workers)).size > 1;
  return experiments.map((experiment) => labelOf(experiment, keys, isPair));
}

function labelOf(experiment: Experiment, keys: readonly ExperimentKey[], isPair: boolean): string {
  const parts = keys.map((key) => {
    const value = experiment[key];
    if (isPair && key === 'workers') return '';
    if (value === defaultExperiment[key] && !isUsed(key, experiment)) return '';
    if (isPair && key === 'strategy' && value !== 'single') return `${value} × ${experiment.workers}`;
    return settingWords(key, value);
  });
  return parts.filter((part) => part !== '').join(', ');
}

import { isUsed } from '../../experiment/conflicts.ts';
import { emulatedWords } from '../../experiment/emulated.ts';
import { defaultExperiment, type Experiment, type ExperimentKey } from '../../experiment/experiment.ts';
import { percent } from '../words/format.ts';
import { aggregateWords, codecWords } from '../words/strategy-words.ts';

/** How a setting is said in a run's title, where it is used and not as usual. */
const said: Partial<Record<ExperimentKey, (experiment: Experiment) => string>> = {
  deadline: ({ deadline }) => `rounds ≤ ${deadline} s`,
  maxStaleness: ({ maxStaleness }) => `staleness ≤ ${maxStaleness}`,
  damping: () => 'damped',
  overlap: () => 'overlapped',
  lead: ({ lead }) => `lead ${lead}`,
  localSteps: ({ localSteps }) => `${localSteps} local`,
  outer: ({ outer }) => (outer === 'average' ? 'plain average' : outer),
  outerLr: ({ outerLr }) => `outer lr ${outerLr}`,
  aggregate: ({ aggregate }) => aggregateWords[aggregate].title,
  faulty: ({ faulty }) => `${faulty} may lie`,
  up: ({ up, topk }) => `${up === 'topk' ? `top ${percent(topk, topk < 0.01 ? 2 : 0)}` : codecWords[up].title} up`,
  down: ({ down }) => `${codecWords[down].title} down`,
};

/** Settings that are always part of the title of a run that uses them. */
const alwaysSaid: readonly ExperimentKey[] = ['lead', 'localSteps'];

/** What every title has: "async ×3 · batch 100 · lr 0.5". */
function mainParts({ strategy, workers, backup, batch, lr, optimizer }: Experiment): string[] {
  const parts = [strategy === 'single' ? 'single' : `${strategy} ×${workers}`];
  if ((strategy === 'sync' || strategy === 'local') && backup > 0) parts.push(`${backup} backup`);
  parts.push(`batch ${batch}`, `lr ${lr}`);
  if (optimizer !== defaultExperiment.optimizer) parts.push(optimizer);
  return parts;
}

/** A run in a few words with all that sets it apart, so that two different runs are told apart by it. */
export const runTitle = (experiment: Experiment): string =>
  (experiment.model === defaultExperiment.model ? '' : `${experiment.model} · `) + settingsTitle(experiment);

/** The same where the model is named beside it. */
export function settingsTitle(experiment: Experiment): string {
  const parts = mainParts(experiment);
  for (const [key, words] of Object.entries(said) as [ExperimentKey, (of: Experiment) => string][]) {
    const isUsual = experiment[key] === defaultExperiment[key] && !alwaysSaid.includes(key);
    if (!isUsual && isUsed(key, experiment)) parts.push(words(experiment));
  }
  if (emulatedWords(experiment) !== null) parts.push('emulated');
  return parts.join(' · ');
}

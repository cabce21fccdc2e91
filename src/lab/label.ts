import { isUsed } from '../experiment/conflicts.ts';
import { defaultExperiment, type Experiment, type ExperimentKey } from '../experiment/experiment.ts';

/** What tells runs apart first; a setting that follows from those before it is not said. */
const first: readonly ExperimentKey[] = [
  'model',
  'data',
  'strategy',
  'workers',
  'batch',
  'optimizer',
  'lr',
  'up',
  'down',
];
const last: readonly ExperimentKey[] = ['maxSteps', 'epochs', 'untilLoss', 'minutes', 'evalEvery', 'seed'];
const keysOf = Object.keys(defaultExperiment) as ExperimentKey[];
const order = [...first, ...keysOf.filter((key) => ![...first, ...last].includes(key)), ...last];

const words: Partial<Record<ExperimentKey, (value: string) => string>> = {
  model: (value) => value,
  data: (value) => value,
  strategy: (value) => value,
  workers: (value) => `${value} ${value === '1' ? 'worker' : 'workers'}`,
  optimizer: (value) => value,
  lr: (value) => `rate ${value}`,
  deadline: (value) => `a deadline of ${value} s`,
  topk: (value) => `top ${value}`,
  localSteps: (value) => `${value} local steps`,
  maxStaleness: (value) => `staleness up to ${value}`,
  features: (value) => `${value} features`,
  examples: (value) => `${value} examples`,
  maxSteps: (value) => `${value} steps`,
  epochs: (value) => `${value} epochs`,
  untilLoss: (value) => `to loss ${value}`,
  minutes: (value) => `${value} minutes`,
  evalEvery: (value) => `tested every ${value}`,
  overlap: (value) => (value === 'true' ? 'overlap' : 'no overlap'),
  emulate: (value) => value || 'no emulation',
};

/** A setting with its value in words, wherever one is told: 40,000 examples, rate 0.2. */
export const settingWords = (key: ExperimentKey, value: string): string => words[key]?.(value) ?? `${key} ${value}`;

/** For each experiment what sets it apart from the others, in as few words as that takes; empty if there is only one. */
export function labelsOf(experiments: readonly Experiment[]): string[] {
  const keys: ExperimentKey[] = [];
  const told = (experiment: Experiment) => JSON.stringify(keys.map((key) => experiment[key]));
  for (const key of order) {
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
    const text =
      value === null
        ? 'off'
        : typeof value === 'number'
          ? value.toLocaleString('en', { maximumFractionDigits: 9 })
          : String(value);
    return settingWords(key, text);
  });
  return parts.filter((part) => part !== '').join(', ');
}

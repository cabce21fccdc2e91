import { type Experiment, type ExperimentKey, experimentKeys, settingWords } from '../../../experiment/experiment.ts';
import type { Look } from '../../../observe/look.ts';
import { type SettingSummary, summarize, workersOf } from '../../summary.ts';
import type { SweepResult } from '../../sweep-result.ts';
import { SETTING_COLOURS, settingLook } from '../figures/palette.ts';

/** More lines than there are colours cannot be told apart in one chart. */
const MAX_LINES = SETTING_COLOURS;

/** One setting as the report speaks of it. */
export interface Setting extends SettingSummary {
  /** Its label, or words in its place where there is only one setting and nothing to set it apart. */
  readonly name: string;
  /** Of those that share charts with it; empty where all do. */
  readonly group: string;
  readonly look: Look;
}

/** What a report is about: the sweep, and its settings in order. */
export interface Subject {
  readonly result: SweepResult;
  readonly settings: readonly Setting[];
  /** The test loss that every run was to reach, on the same task; null if there is no such loss. */
  readonly target: number | null;
}

/** Reads a sweep's result as a report needs it. */
export function subjectOf(result: SweepResult): Subject {
  const summaries = summarize(result);
  const groups = groupsOf(summaries.map(({ experiment }) => experiment));
  const settings = summaries.map((summary, index): Setting => {
    const group = groups[index] ?? '';
    const before = groups.slice(0, index).filter((other) => other === group).length;
    return { ...summary, name: summary.label || modeWords(summary.experiment), group, look: settingLook(before) };
  });
  const tasks = new Set(settings.map(({ experiment: { model, data, untilLoss } }) => `${model} ${data} ${untilLoss}`));
  const [first] = settings;
  return { result, settings, target: tasks.size === 1 ? (first?.experiment.untilLoss ?? null) : null };
}

/** Which experiments share charts: those with one setting in common, by the setting that makes the fewest charts. */
function groupsOf(experiments: readonly Experiment[]): string[] {
  if (experiments.length <= MAX_LINES) return experiments.map(() => '');
  const kinds = tellingKeys(experiments).map((key) => experiments.map((experiment) => wordsOf(experiment, [key])));
  const isFit = (names: readonly string[]) =>
    names.every((name) => names.filter((other) => other === name).length <= MAX_LINES);
  const fit = kinds.filter(isFit).sort((a, b) => new Set(a).size - new Set(b).size);
  const [best] = fit.filter((names) => new Set(names).size < experiments.length);
  return best ?? experiments.map((_, index) => `part ${Math.floor(index / MAX_LINES) + 1}`);
}

/** How many work together and how: single, sync × 3. */
export const modeWords = (experiment: Experiment): string =>
  experiment.strategy === 'single' ? 'single' : `${experiment.strategy} × ${workersOf(experiment)}`;

/** A setting's value as it counts: single has one worker whatever it says. */
export const settingValue = (experiment: Experiment, key: ExperimentKey): Experiment[ExperimentKey] =>
  key === 'workers' ? workersOf(experiment) : experiment[key];

/** The settings that tell the experiments apart, beginning with `first`; those that follow from others before are left out. */
export function tellingKeys(experiments: readonly Experiment[], first: readonly ExperimentKey[] = []): ExperimentKey[] {
  const keys: ExperimentKey[] = [];
  const kinds = (of: readonly ExperimentKey[]) =>
    new Set(experiments.map((experiment) => JSON.stringify(of.map((key) => settingValue(experiment, key))))).size;
  for (const key of new Set([...first, ...experimentKeys]))
    if (key !== 'seed' && kinds([...keys, key]) > kinds(keys)) keys.push(key);
  return keys;
}

/** An experiment in the words of these settings alone: sync, batch 100. */
export function wordsOf(experiment: Experiment, keys: readonly ExperimentKey[]): string {
  const parts = keys.map((key) => {
    const isSaid = key !== 'workers' || experiment.strategy !== 'single';
    return isSaid ? settingWords(key, settingValue(experiment, key)) : '';
  });
  return parts.filter((part) => part !== '').join(', ');
}

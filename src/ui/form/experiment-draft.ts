import * as drafts from '../../experiment/draft.ts';
import {
  defaultExperiment,
  type Experiment,
  type ExperimentKey,
  isUsed,
  settingOf,
} from '../../experiment/experiment.ts';
import { type Problem, sentence } from '../../experiment/problems.ts';
import type { Context } from '../../experiment/setting.ts';
import { settings } from '../../experiment/settings.ts';
import { choicesOf, misfitOf } from '../../models/plan.ts';

export type { Draft } from '../../experiment/draft.ts';

type Draft = drafts.Draft;

export type Reading =
  | { readonly ok: true; readonly experiment: Experiment }
  | { readonly ok: false; readonly problems: ReadonlyMap<string, string> };

/** The draft that reads back as this experiment. */
export const draftOf = (experiment: Experiment): Draft => drafts.draftOf(settings, experiment);

/** The draft with these settings changed, and all else as typed. */
export const changedDraft = (draft: Draft, change: Partial<Experiment>): Draft =>
  drafts.changedDraft(settings, draft, change);

const typed = (draft: Draft, key: string) => drafts.typedValue(settings, draft, key);

/** Whether the draft has these settings already. */
export const hasChange = (draft: Draft, change: Partial<Experiment>): boolean =>
  Object.entries(change).every(([key, value]) => typed(draft, key) === value);

/** Whether a setting belongs to what is chosen just now: others are kept as typed, but neither shown nor read. */
export const isAsked = ({ texts }: Draft, key: string): boolean =>
  isUsed(key as ExperimentKey, texts as Readonly<Record<string, string>> & Context);

/** Reads a draft; what is wrong comes back setting by setting, in sentences. */
export function readDraft(draft: Draft): Reading {
  const { values, problems } = drafts.readDraft(settings, draft, defaultExperiment, (key) => isAsked(draft, key));
  const experiment = values as unknown as Experiment;
  const misfit = problems.length === 0 ? misfitOf(experiment) : null;
  const all = misfit === null ? problems : [misfit];
  if (all.length === 0) return { ok: true, experiment };
  const words = ({ key, text }: Problem) => {
    const choices = settings[key as ExperimentKey].kind === 'name' ? choicesOf(key as ExperimentKey) : null;
    return sentence(choices === null || misfit !== null ? text : `must be one of ${Object.keys(choices).join(', ')}`);
  };
  return { ok: false, problems: new Map(all.map((problem) => [fieldFor(problem.key), words(problem)])) };
}

/** Where a problem is shown: at the data, if the setting is found there and has no field of its own. */
const fieldFor = (key: string): string => (settingOf(key as ExperimentKey).section === 'found' ? 'data' : key);

/** Whether any of these settings is used and not as usual, or wrong. */
export function isUnusual(draft: Draft, keys: readonly ExperimentKey[]): boolean {
  const reading = readDraft(draft);
  const isWrong = (key: ExperimentKey) => !reading.ok && reading.problems.has(key);
  return keys.some((key) => isWrong(key) || (isAsked(draft, key) && typed(draft, key) !== defaultExperiment[key]));
}

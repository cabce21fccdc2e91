import { type Experiment, type ExperimentKey, parseExperiment } from '../core/config.ts';
import { dataSpecs } from '../models/data.ts';
import { models } from '../models/model.ts';
import { resolveExperiment } from '../models/plan.ts';
import { count } from './format.ts';

/** Bounds of a number field, for its input and its words; tests hold them to the experiment's schema. */
export const numberFields = {
  workers: { min: 1, max: 1000, isWhole: true },
  backup: { min: 0, max: 999, isWhole: true },
  batch: { min: 1, max: 60_000, isWhole: true },
  lr: { min: 0, max: 1000, isWhole: false },
  evalEvery: { min: 1, max: 1_000_000, isWhole: true },
  untilLoss: { min: 0, max: 1000, isWhole: false },
  maxSteps: { min: 1, max: 1_000_000_000, isWhole: true },
  epochs: { min: 0, max: 100_000, isWhole: false },
  minutes: { min: 0, max: 100_000, isWhole: false },
  seed: { min: 0, max: 2 ** 31 - 1, isWhole: true },
} as const satisfies Partial<Record<ExperimentKey, { min: number; max: number; isWhole: boolean }>>;
export type NumberKey = keyof typeof numberFields;

/** The stop rules and what each suggests when it is switched on. */
export const stopRules = { untilLoss: '0.35', maxSteps: '5000', epochs: '10', minutes: '5' } as const;
export type StopKey = keyof typeof stopRules;

/** An experiment as it is being typed: every field a text, stop rules with a switch each. */
export interface Draft {
  readonly texts: Readonly<Record<ExperimentKey, string>>;
  readonly off: Readonly<Record<StopKey, boolean>>;
}

export type Problems = Partial<Record<ExperimentKey, string>>;
export type Reading =
  | { readonly ok: true; readonly experiment: Experiment }
  | { readonly ok: false; readonly problems: Problems };

const keysOf = <T extends object>(object: T) => Object.keys(object) as (keyof T)[];
const isStopKey = (key: ExperimentKey): key is StopKey => key in stopRules;
const isNumberKey = (key: ExperimentKey): key is NumberKey => key in numberFields;

/** The draft that reads back as this experiment. */
export function draftOf(experiment: Experiment): Draft {
  const texts = {} as Record<ExperimentKey, string>;
  for (const key of keysOf(experiment)) {
    const value = experiment[key];
    texts[key] = value === null && isStopKey(key) ? stopRules[key] : String(value);
  }
  const off = {} as Record<StopKey, boolean>;
  for (const key of keysOf(stopRules)) off[key] = experiment[key] === null;
  return { texts, off };
}

/** What a field must hold, said beside the field when it does not. */
export function expectation(key: ExperimentKey): string {
  if (key === 'model') return `Choose one of: ${Object.keys(models).join(', ')}.`;
  if (key === 'data') return `Choose one of: ${Object.keys(dataSpecs).join(', ')}.`;
  if (!isNumberKey(key)) return 'Choose one of the list.';
  const { min, max, isWhole } = numberFields[key];
  return isWhole
    ? `A whole number from ${count(min)} to ${count(max)}.`
    : `A number above ${count(min)}, up to ${count(max)}.`;
}

/** Reads a draft; what is wrong comes back field by field, in words. */
export function readDraft(draft: Draft): Reading {
  const fields: Record<string, unknown> = {};
  for (const key of keysOf(draft.texts)) {
    const text = draft.texts[key].trim();
    if (isStopKey(key) && draft.off[key]) fields[key] = null;
    else fields[key] = isNumberKey(key) ? (text === '' ? Number.NaN : Number(text)) : text;
  }
  const problems: Problems = {};
  if (!Object.hasOwn(models, draft.texts.model)) problems.model = expectation('model');
  if (!Object.hasOwn(dataSpecs, draft.texts.data)) problems.data = expectation('data');
  let experiment: Experiment | null = null;
  try {
    experiment = parseExperiment(fields);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    for (const line of error.message.split('\n')) {
      const key = line.slice(0, line.indexOf(':')) as ExperimentKey;
      problems[key] = expectation(key);
    }
  }
  if (experiment !== null && Object.keys(problems).length === 0) {
    try {
      resolveExperiment(experiment);
    } catch (error) {
      problems.data = (error as Error).message;
    }
  }
  return experiment !== null && Object.keys(problems).length === 0 ? { ok: true, experiment } : { ok: false, problems };
}

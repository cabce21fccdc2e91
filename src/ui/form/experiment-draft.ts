import { conflict, type Deciding, isUsed } from '../../experiment/conflicts.ts';
import {
  defaultExperiment,
  type Experiment,
  type ExperimentKey,
  parseExperiment,
} from '../../experiment/experiment.ts';
import { dataTitles, modelTitles, resolveExperiment } from '../../models/plan.ts';
import { count } from '../words/format.ts';

/** Bounds of a number field, for its input and its words; tests hold them to the experiment's schema. */
export const numberFields = {
  workers: { min: 1, max: 1000, isWhole: true },
  backup: { min: 0, max: 999, isWhole: true },
  deadline: { min: 0, max: 86_400, isWhole: false },
  maxStaleness: { min: 0, max: 1_000_000, isWhole: true },
  lead: { min: 1, max: 1000, isWhole: true },
  localSteps: { min: 1, max: 10_000, isWhole: true },
  outerLr: { min: 0, max: 10, isWhole: false },
  faulty: { min: 0, max: 499, isWhole: true },
  topk: { min: 0, max: 1, isWhole: false },
  batch: { min: 1, max: 60_000, isWhole: true },
  lr: { min: 0, max: 1000, isWhole: false },
  l1: { min: 0, max: 1_000_000, isWhole: false },
  l2: { min: 0, max: 1_000_000, isWhole: false },
  features: { min: 2, max: 2 ** 27, isWhole: true },
  examples: { min: 1, max: 2 ** 26, isWhole: true },
  evalEvery: { min: 1, max: 1_000_000, isWhole: true },
  untilLoss: { min: 0, max: 1000, isWhole: false },
  maxSteps: { min: 1, max: 1_000_000_000, isWhole: true },
  epochs: { min: 0, max: 100_000, isWhole: false },
  minutes: { min: 0, max: 100_000, isWhole: false },
  seed: { min: 0, max: 2 ** 31 - 1, isWhole: true },
} as const satisfies Partial<Record<ExperimentKey, { min: number; max: number; isWhole: boolean }>>;
export type NumberKey = keyof typeof numberFields;

/** Numbers that may be 0, and usually are; of others that are not whole, the least is out of bounds. */
export const mayBeZero: readonly ExperimentKey[] = ['l1', 'l2'];

/** The stop rules and what each suggests when it is switched on. */
export const stopRules = { untilLoss: '0.35', maxSteps: '5000', epochs: '10', minutes: '5' } as const;
export type StopKey = keyof typeof stopRules;

/** All settings that can be switched off, with what each suggests when it is switched on. */
export const switched = { ...stopRules, deadline: '10', maxStaleness: '8', outerLr: '0.7' } as const;
export type SwitchKey = keyof typeof switched;

/** Settings that are either so or not. */
export type CheckKey = 'damping' | 'overlap';
const checkTexts = { damping: ['none', 'inverse'], overlap: ['false', 'true'] } as const satisfies Record<
  CheckKey,
  readonly [string, string]
>;

/** What a tick means for this setting. */
export const checkText = (key: CheckKey, isOn: boolean): string => checkTexts[key][isOn ? 1 : 0];

/** An experiment as it is being typed: every field a text, some with a switch. */
export interface Draft {
  readonly texts: Readonly<Record<ExperimentKey, string>>;
  readonly off: Readonly<Record<SwitchKey, boolean>>;
}

export type Problems = Partial<Record<ExperimentKey, string>>;
export type Reading =
  | { readonly ok: true; readonly experiment: Experiment }
  | { readonly ok: false; readonly problems: Problems };

const keysOf = <T extends object>(object: T) => Object.keys(object) as (keyof T)[];
const isSwitchKey = (key: ExperimentKey): key is SwitchKey => key in switched;
const isNumberKey = (key: ExperimentKey): key is NumberKey => key in numberFields;

/** The draft that reads back as this experiment. */
export function draftOf(experiment: Experiment): Draft {
  const texts = {} as Record<ExperimentKey, string>;
  for (const key of keysOf(experiment)) {
    const value = experiment[key];
    texts[key] = value === null && isSwitchKey(key) ? switched[key] : String(value);
  }
  const off = {} as Record<SwitchKey, boolean>;
  for (const key of keysOf(switched)) off[key] = experiment[key] === null;
  return { texts, off };
}

/** The draft with these settings changed, and all else as typed. */
export function changedDraft({ texts, off }: Draft, change: Partial<Experiment>): Draft {
  const changed = draftOf({ ...defaultExperiment, ...change });
  const only = <Part extends object>(part: Part): Partial<Part> =>
    Object.fromEntries(Object.entries(part).filter(([key]) => key in change)) as Partial<Part>;
  return { texts: { ...texts, ...only(changed.texts) }, off: { ...off, ...only(changed.off) } };
}

/** Whether the draft has these settings already. */
export const hasChange = (draft: Draft, change: Partial<Experiment>): boolean =>
  keysOf(change).every((key) => readField(draft, key) === change[key]);

/** What a field must hold, said beside the field when it does not. */
export function expectation(key: ExperimentKey): string {
  if (key === 'model') return `Choose one of: ${Object.keys(modelTitles).join(', ')}.`;
  if (key === 'data') return `Choose one of: ${Object.keys(dataTitles).join(', ')}.`;
  if (key === 'emulate') return 'At most 300 characters.';
  if (!isNumberKey(key)) return 'Choose one of the list.';
  const { min, max, isWhole } = numberFields[key];
  if (isWhole) return `A whole number from ${count(min)} to ${count(max)}.`;
  return `A number ${mayBeZero.includes(key) ? 'from' : 'above'} ${count(min)}, up to ${count(max)}.`;
}

/** Whether a setting belongs to what is chosen just now: others are kept as typed, but neither shown nor read. */
export const isAsked = ({ texts }: Draft, key: ExperimentKey): boolean => isUsed(key, texts as unknown as Deciding);

/** Reads a draft; what is wrong comes back field by field, in words. */
export function readDraft(draft: Draft): Reading {
  const fields: Record<string, unknown> = {};
  for (const key of keysOf(draft.texts)) fields[key] = isAsked(draft, key) ? readField(draft, key) : usual(key);
  const problems: Problems = {};
  if (!Object.hasOwn(modelTitles, draft.texts.model)) problems.model = expectation('model');
  if (!Object.hasOwn(dataTitles, draft.texts.data)) problems.data = expectation('data');
  let experiment: Experiment | null = null;
  try {
    experiment = parseExperiment(fields);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    for (const line of error.message.split('\n')) {
      const { key, text } = complaint(line);
      problems[fieldFor(key)] = key === 'emulate' && !text.startsWith('must be') ? `${text}.` : expectation(key);
    }
  }
  const isSound = () => Object.keys(problems).length === 0;
  if (experiment !== null && isSound()) {
    const found = conflict(experiment);
    if (found) problems[fieldFor(found.key)] = found.text;
  }
  if (experiment !== null && isSound()) {
    try {
      resolveExperiment(experiment);
    } catch (error) {
      const { key, text } = complaint((error as Error).message);
      problems[fieldFor(key)] = text;
    }
  }
  return experiment !== null && isSound() ? { ok: true, experiment } : { ok: false, problems };
}

/** A line that may begin with the setting it is about; else it is about the data, which does not fit the rest. */
function complaint(line: string): { readonly key: ExperimentKey; readonly text: string } {
  const at = line.indexOf(': ');
  const key = line.slice(0, at);
  return at > 0 && Object.hasOwn(defaultExperiment, key)
    ? { key: key as ExperimentKey, text: line.slice(at + 2) }
    : { key: 'data', text: line };
}

const choices: readonly ExperimentKey[] = [
  'data',
  'strategy',
  'optimizer',
  'outer',
  'aggregate',
  'up',
  'down',
  'emulate',
];

/** Where a problem is shown: at the model, if the setting has no field of its own. */
const fieldFor = (key: ExperimentKey): ExperimentKey =>
  isNumberKey(key) || key in checkTexts || choices.includes(key) ? key : 'model';

const usual = (key: ExperimentKey) => defaultExperiment[key];

function readField({ texts, off }: Draft, key: ExperimentKey): unknown {
  const text = texts[key].trim();
  if (isSwitchKey(key) && off[key]) return null;
  // By the usual value, since not every setting has a field here.
  switch (typeof usual(key)) {
    case 'string':
      return text;
    case 'boolean':
      return text === 'true';
    default:
      return text === '' ? Number.NaN : Number(text);
  }
}

/** Whether any of these settings is used and not as usual, or wrong. */
export function isUnusual(draft: Draft, keys: readonly ExperimentKey[]): boolean {
  const reading = readDraft(draft);
  const isWrong = (key: ExperimentKey) => !reading.ok && reading.problems[key] !== undefined;
  return keys.some((key) => isWrong(key) || (isAsked(draft, key) && readField(draft, key) !== usual(key)));
}

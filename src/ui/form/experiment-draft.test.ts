import { describe, expect, test } from 'vitest';
import {
  defaultExperiment,
  type Experiment,
  type ExperimentKey,
  experimentKeys,
  settingOf,
  strategyNames,
} from '../../experiment/experiment.ts';
import { changedDraft, type Draft, draftOf, hasChange, isUnusual, readDraft } from './experiment-draft.ts';

const experiment: Experiment = { ...defaultExperiment, untilLoss: 0.35, maxSteps: 2000, epochs: 10, minutes: 5 };
/** An experiment that looks at the setting. */
const using: Partial<Record<ExperimentKey, Partial<Experiment>>> = {
  deadline: { deadline: 10 },
  maxStaleness: { strategy: 'async', maxStaleness: 8 },
  lead: { strategy: 'bounded' },
  localSteps: { strategy: 'local' },
  outerLr: { strategy: 'local', outerLr: 1 },
  faulty: { aggregate: 'krum' },
  topk: { up: 'topk' },
  features: { model: 'sparse-logistic', data: 'file' },
  examples: { model: 'sparse-logistic', data: 'criteo-fake', batch: 1 },
  l1: { model: 'sparse-logistic', data: 'file', optimizer: 'ftrl' },
  l2: { model: 'sparse-logistic', data: 'file', optimizer: 'ftrl' },
};
const typed = (key: ExperimentKey, text: string, of: Partial<Experiment> = {}): Draft => {
  const draft = draftOf({ ...experiment, ...using[key], ...of });
  return { ...draft, texts: { ...draft.texts, [key]: text } };
};
const problemsOf = (draft: Draft) => {
  const reading = readDraft(draft);
  return reading.ok ? {} : Object.fromEntries(reading.problems);
};

test('a draft reads back as the experiment it was made of', () => {
  const others: Partial<Experiment>[] = [
    { strategy: 'async', workers: 3, maxStaleness: 4, damping: 'inverse', overlap: true },
    { strategy: 'bounded', workers: 3, lead: 2 },
    { strategy: 'local', workers: 3, outer: 'average', outerLr: 0.9, aggregate: 'krum', faulty: 2, deadline: 2.5 },
    { strategy: 'allreduce', workers: 3, up: 'int8', emulate: '2:slow=10' },
    { up: 'topk', topk: 0.02, down: 'float16' },
    { model: 'sparse-logistic', data: 'criteo-fake', features: 1000, examples: 500, optimizer: 'ftrl', l1: 0.1, l2: 2 },
  ];
  for (const original of [defaultExperiment, experiment, ...others.map((other) => ({ ...experiment, ...other }))]) {
    expect(readDraft(draftOf(original))).toEqual({ ok: true, experiment: original });
  }
});

test('a rule that is switched off is null, whatever its field says', () => {
  const draft = typed('untilLoss', 'nonsense');
  const reading = readDraft({ ...draft, off: new Set([...draft.off, 'untilLoss']) });
  expect(reading).toEqual({ ok: true, experiment: { ...experiment, untilLoss: null } });
});

const numbers = experimentKeys.flatMap((key) => {
  const setting = settingOf(key);
  return setting.section !== 'found' && 'min' in setting ? [[key, setting] as const] : [];
});
describe('a number out of bounds is said beside its field', () => {
  test.each(numbers)('%s', (key, { min, max, isWhole, isAbove = false }) => {
    for (const good of [isAbove ? 1e-6 : min, max]) expect(problemsOf(typed(key, String(good)))).toEqual({});
    const bad = [String(isAbove ? min : min - 1), String(max + 1), '', 'x', 'Infinity', ...(isWhole ? ['1.5'] : [])];
    for (const text of bad) expect(Object.keys(problemsOf(typed(key, text)))).toEqual([key]);
  });
});

test('the words name the bounds', () => {
  expect(problemsOf(typed('batch', '0')).batch).toBe('Must be a whole number from 1 to 60,000.');
  expect(problemsOf(typed('lr', '0')).lr).toBe('Must be a number above 0, up to 1,000.');
});

test('a model that is not there is said beside its field', () => {
  expect(problemsOf(typed('model', 'toString')).model).toContain('softmax');
});

test('what another strategy looks at is kept as typed, but neither read nor in the way', () => {
  const draft = typed('maxStaleness', 'nonsense', { overlap: true });
  expect(Object.keys(problemsOf(draft))).toEqual(['maxStaleness']);
  for (const strategy of strategyNames.filter((name) => name !== 'async')) {
    const other = { ...draft, texts: { ...draft.texts, strategy } };
    const { maxStaleness, overlap } = defaultExperiment;
    expect(readDraft(other)).toMatchObject({ ok: true, experiment: { strategy, maxStaleness, overlap } });
  }
});

test('a combination that cannot be is said at the field that can change it', () => {
  expect(problemsOf(typed('strategy', 'allreduce', { up: 'topk' }))).toEqual({
    up: expect.stringContaining('use another codec'),
  });
  expect(problemsOf(typed('emulate', '4:fast=2'))).toEqual({ emulate: expect.stringContaining('slow, latency') });
  expect(problemsOf(typed('emulate', 'x'.repeat(301)))).toEqual({ emulate: 'Must be at most 300 characters.' });
  expect(problemsOf(typed('optimizer', 'ftrl'))).toEqual({ optimizer: expect.stringContaining('sparse') });
});

test('what only sparse models look at is not in the way of others, nor l1 of other optimizers', () => {
  const draft = typed('features', 'x');
  expect(Object.keys(problemsOf(draft))).toEqual(['features']);
  expect(problemsOf({ ...draft, texts: { ...draft.texts, model: 'softmax', data: 'mnist' } })).toEqual({});
  const other = typed('l1', '3');
  expect(readDraft({ ...other, texts: { ...other.texts, optimizer: 'sgd' } })).toMatchObject({ experiment: { l1: 0 } });
});

test('ticks are written as the experiment has them', () => {
  const draft = typed('damping', 'inverse', { strategy: 'async', overlap: true });
  expect(readDraft(draft)).toMatchObject({ ok: true, experiment: { damping: 'inverse', overlap: true } });
});

test('only what is used and not as usual, or wrong, is unusual', () => {
  const wire = ['up', 'down', 'topk'] as const;
  expect(isUnusual(draftOf(defaultExperiment), wire)).toBe(false);
  expect(isUnusual(draftOf({ ...defaultExperiment, topk: 0.5 }), wire)).toBe(false);
  expect(isUnusual(draftOf({ ...defaultExperiment, up: 'topk' }), wire)).toBe(true);
  expect(isUnusual(typed('emulate', 'x'), ['emulate'])).toBe(true);
  // A mistake elsewhere does not open every group.
  expect(isUnusual(typed('batch', 'x'), wire)).toBe(false);
});

test('a change goes into the form as typed, switches included, and touches nothing else', () => {
  const draft = typed('batch', '12a');
  const change = { strategy: 'async', maxStaleness: 3, overlap: true } as const;
  expect(hasChange(draft, change)).toBe(false);
  const changed = changedDraft(draft, change);
  expect(hasChange(changed, change)).toBe(true);
  expect(changed.off.has('maxStaleness')).toBe(false);
  expect(changed.texts).toEqual({ ...draft.texts, strategy: 'async', maxStaleness: '3', overlap: 'true' });
});

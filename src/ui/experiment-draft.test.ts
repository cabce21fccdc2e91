import { describe, expect, test } from 'vitest';
import { defaultExperiment, type Experiment } from '../core/config.ts';
import { type Draft, draftOf, type NumberKey, numberFields, readDraft } from './experiment-draft.ts';

const experiment: Experiment = { ...defaultExperiment, untilLoss: 0.35, maxSteps: 2000, epochs: 10, minutes: 5 };
const typed = (key: NumberKey | 'model', text: string): Draft => {
  const draft = draftOf(experiment);
  return { ...draft, texts: { ...draft.texts, [key]: text } };
};
const problemsOf = (draft: Draft) => {
  const reading = readDraft(draft);
  return reading.ok ? {} : reading.problems;
};

test('a draft reads back as the experiment it was made of', () => {
  for (const original of [defaultExperiment, experiment]) {
    expect(readDraft(draftOf(original))).toEqual({ ok: true, experiment: original });
  }
});

test('a rule that is switched off is null, whatever its field says', () => {
  const draft = typed('untilLoss', 'nonsense');
  const reading = readDraft({ ...draft, off: { ...draft.off, untilLoss: true } });
  expect(reading).toEqual({ ok: true, experiment: { ...experiment, untilLoss: null } });
});

describe('the bounds beside a field are those of the schema', () => {
  test.each(Object.entries(numberFields))('%s', (name, { min, max, isWhole }) => {
    const key = name as NumberKey;
    const smallest = isWhole ? min : 1e-6;
    for (const good of [smallest, max]) expect(problemsOf(typed(key, String(good)))).toEqual({});
    const bad = [String(isWhole ? min - 1 : min), String(max + 1), '', 'x', 'Infinity', ...(isWhole ? ['1.5'] : [])];
    for (const text of bad) expect(Object.keys(problemsOf(typed(key, text)))).toEqual([key]);
  });
});

test('the words name the bounds', () => {
  expect(problemsOf(typed('batch', '0')).batch).toBe('A whole number from 1 to 60,000.');
  expect(problemsOf(typed('lr', '0')).lr).toBe('A number above 0, up to 1,000.');
});

test('a model that is not there is said beside its field', () => {
  expect(problemsOf(typed('model', 'toString')).model).toContain('softmax');
});

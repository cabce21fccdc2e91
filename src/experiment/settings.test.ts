import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { page } from '../../scripts/settings-table.ts';
import { defaultExperiment, experimentKeys, experimentProblems, experimentSchema, settingOf } from './experiment.ts';
import { flagOf, problemWith, readValue, valueWords, writeValue } from './setting.ts';

describe.each(experimentKeys)('%s', (key) => {
  const setting = settingOf(key);

  test('says what it is called and what it does', () => {
    expect(setting.label).toMatch(/^[A-Z…]/);
    expect(setting.help).toMatch(/^[A-Z].*[^.]$/);
    expect(setting.section).not.toBe('');
    expect(flagOf(key)).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  });

  test('its usual values are sound, and come back from text as they went', () => {
    for (const value of [setting.default, setting.simulated ?? setting.default]) {
      expect(problemWith(setting, value)).toBeNull();
      expect(readValue(setting, writeValue(value))).toEqual(value);
      expect(valueWords(setting, value)).not.toBe('');
    }
  });

  test('nonsense is refused with what would be right, by check and schema alike', () => {
    for (const nonsense of [undefined, Number.NaN, {}, 'No Such Thing!'.repeat(30)]) {
      expect(problemWith(setting, nonsense)).toMatch(/^must be /);
      const experiment = { ...defaultExperiment, [key]: nonsense };
      expect(experimentProblems(experiment).map((problem) => problem.key)).toEqual([key]);
      expect(experimentSchema.safeParse(experiment).success).toBe(false);
    }
  });
});

test('what is no experiment at all has a problem with every setting', () => {
  expect(experimentProblems(null)).toHaveLength(experimentKeys.length);
  expect(experimentSchema.safeParse(defaultExperiment).success).toBe(true);
});

test('docs/SETTINGS.md is made from the table: npx tsx scripts/settings-table.ts > docs/SETTINGS.md', () => {
  expect(readFileSync('docs/SETTINGS.md', 'utf8')).toBe(page());
});

import { describe, expect, test } from 'vitest';
import {
  type AggregateName,
  conflict,
  defaultExperiment,
  type Experiment,
  isUsed,
  type StrategyName,
  strategyNames,
} from './experiment.ts';

const asked = (changes: Partial<Experiment>) => conflict({ ...defaultExperiment, ...changes });

test('the usual experiment goes together with every strategy', () => {
  for (const strategy of strategyNames) expect(asked({ strategy })).toBeNull();
});

const cases: [string, Partial<Experiment>, readonly StrategyName[]][] = [
  ['aggregate', { aggregate: 'median' }, ['sync', 'local']],
  ['up', { up: 'topk' }, ['single', 'sync', 'async', 'bounded', 'local']],
  ['down', { down: 'int8' }, ['single', 'sync', 'async', 'bounded', 'local']],
  ['overlap', { overlap: true }, ['async']],
];
describe.each(cases)('%s', (key, change, allowed) => {
  test.each(strategyNames)(`of ${JSON.stringify(change)} with %s`, (strategy) => {
    const found = asked({ strategy, ...change });
    if (allowed.includes(strategy)) expect(found).toBeNull();
    else expect(found).toEqual({ key, text: expect.stringMatching(/^[A-Za-z].+: .+\.$/) });
  });
});

test('a setting counts where its strategy, aggregate or codec looks at it', () => {
  const used = (key: keyof Experiment, changes: Partial<Experiment>) =>
    isUsed(key, { ...defaultExperiment, ...changes });
  expect(strategyNames.filter((strategy) => used('damping', { strategy }))).toEqual(['async', 'bounded']);
  expect(strategyNames.filter((strategy) => used('batch', { strategy }))).toEqual([...strategyNames]);
  const needing = (['mean', 'median', 'trimmed', 'clipping', 'krum'] satisfies AggregateName[]).filter((aggregate) =>
    used('faulty', { aggregate }),
  );
  expect(needing).toEqual(['trimmed', 'krum']);
  expect(used('faulty', { strategy: 'async', aggregate: 'krum' })).toBe(false);
  expect(used('topk', {})).toBe(false);
  expect(used('topk', { up: 'topk' })).toBe(true);
});

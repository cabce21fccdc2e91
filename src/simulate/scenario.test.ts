import { expect, it } from 'vitest';
import { comparable, defaultScenario, experimentOf, readScenario, scenarioPairs } from './scenario.ts';

it('is read back from what it is written as', () => {
  const scenario = { ...defaultScenario, workers: 12, up: 'int8' as const, untilLoss: 0.4, overlap: true, churn: 2.5 };
  expect(readScenario(scenarioPairs(scenario))).toEqual(scenario);
  expect(scenarioPairs(defaultScenario)).toEqual([]);
});

it.each([
  [['workers', '0'], 'workers must be a whole number from 1 to 1,000'],
  [['latency', 'soon'], 'latency must be a number from 0 to 10,000'],
  [['slowdown', 'few'], 'slowdown must be a number from 1 to 1,000'],
  [
    ['optimizer', 'ftrl'],
    'optimizer: ftrl is for models whose parameters have keys: use sgd, momentum or adam, or a sparse model.',
  ],
  [['up', 'zip'], 'up must be one of float32, float16, int8, topk'],
  [['minutes', 'off'], 'minutes must be a number: virtual time must end'],
  [['backup', '100'], 'backup must be less than the 100 workers there are'],
  [['colour', 'red'], 'colour is no setting'],
] as const)('says what is wrong with %j', (pair, words) => {
  expect(() => readScenario([pair])).toThrow(words);
});

it('looks at the test set after the same number of examples whatever the strategy', () => {
  const scenario = { ...defaultScenario, workers: 50, localSteps: 5, evalRounds: 10 };
  const every = comparable.map((strategy) => experimentOf(scenario, strategy).evalEvery);
  expect(every).toEqual([10, 500, 500, 2, 10]);
});

import { expect, it } from 'vitest';
import { comparable, defaultScenario, experimentOf, readScenario, scenarioPairs } from './scenario.ts';

it('is read back from what it is written as', () => {
  const scenario = { ...defaultScenario, workers: 12, up: 'int8' as const, untilLoss: 0.4, overlap: true, churn: 2.5 };
  expect(readScenario(scenarioPairs(scenario))).toEqual(scenario);
  expect(scenarioPairs(defaultScenario)).toEqual([]);
});

it('takes both numbers of stragglers in one', () => {
  expect(readScenario([['stragglers', '0.25x8']])).toMatchObject({ stragglers: 0.25, slowdown: 8 });
});

it.each([
  [['workers', '0'], 'workers: must be a whole number from 1 to 1000'],
  [['latency', 'soon'], 'latency: must be a number from 0 to 10000'],
  [['stragglers', '0.1xfew'], 'slowdown: must be a number from 1 to 1000'],
  [['up', 'zip'], 'up: must be one of float32, float16, int8, topk'],
  [['minutes', 'off'], 'minutes: must be a number'],
  [['backup', '100'], 'backup: must be less than the 100 workers there are'],
  [['colour', 'red'], 'colour: there is no such setting'],
] as const)('says what is wrong with %j', (pair, words) => {
  expect(() => readScenario([pair])).toThrow(new RangeError(words));
});

it('looks at the test set after the same number of examples whatever the strategy', () => {
  const scenario = { ...defaultScenario, workers: 50, localSteps: 5, evalRounds: 10 };
  const every = comparable.map((strategy) => experimentOf(scenario, strategy).evalEvery);
  expect(every).toEqual([10, 500, 500, 2, 10]);
});

import { describe, expect, test } from 'vitest';
import { defaultExperiment, type Experiment } from '../../experiment/experiment.ts';
import { codecBytes, exchangeBytes, exchangeWords, modelSize } from './wire-words.ts';

const lenet = (changes: Partial<Experiment>): Experiment => ({
  ...defaultExperiment,
  model: 'lenet',
  workers: 3,
  ...changes,
});
const words = (changes: Partial<Experiment>) => exchangeWords(lenet(changes)).replaceAll('\u00a0', ' ');

test('bytes beside a choice are those of the codec', () => {
  expect(modelSize('lenet', 'mnist')).toBe(61_706);
  const sizes = (['float32', 'float16', 'int8', 'topk'] as const).map((name) => codecBytes(name, 0.01, 61_706));
  expect(sizes).toEqual([246_824, 123_412, 62_674, 3712]);
  expect(codecBytes('topk', Number.NaN, 61_706)).toBeNull();
});

test('a model that is not there, or does not fit the data, has no size', () => {
  expect(modelSize('crystal-ball', 'mnist')).toBeNull();
  expect(modelSize('alexnet', 'mnist')).toBeNull();
});

describe('an exchange in words', () => {
  const cases: [Partial<Experiment>, string][] = [
    [{}, '61,706 numbers. Each step: up 247 kB, down 247 kB.'],
    [{ up: 'int8', down: 'float16' }, '61,706 numbers. Each step: up 247 kB → 62.7 kB, down 247 kB → 123 kB.'],
    [{ strategy: 'local', up: 'int8' }, '61,706 numbers. Every 16 steps: up 247 kB → 62.7 kB, down 247 kB.'],
    [{ strategy: 'single', up: 'int8' }, '61,706 numbers, but no wire: they stay in this tab.'],
    [{ strategy: 'allreduce', workers: 1 }, '61,706 numbers. With one worker nothing is sent.'],
  ];
  test.each(cases)('%j', (changes, expected) => expect(words(changes)).toBe(expected));
});

test('around a ring of n, each sends 2 (n − 1) / n of the numbers', () => {
  const { between, up, down } = exchangeBytes(lenet({ strategy: 'allreduce', workers: 4 }));
  expect([up, down]).toEqual([0, 0]);
  expect(between / (4 * 61_706)).toBeCloseTo(1.5, 3);
});

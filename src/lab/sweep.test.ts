import { expect, test } from 'vitest';
import { parseSweep, quickened } from './sweep.ts';

const lines = (input: unknown): string[] => {
  try {
    parseSweep(input);
  } catch (error) {
    return (error as Error).message.split('\n');
  }
  return [];
};

test('a name is all that a sweep needs', () => {
  expect(parseSweep({ name: 'tiny' })).toEqual({
    name: 'tiny',
    title: 'tiny',
    about: '',
    base: {},
    cases: [],
    vary: {},
    repeats: 1,
    hostTrains: false,
    references: [],
  });
});

test('every wrong setting is one line that names its place', () => {
  const input = {
    name: 'wrong',
    base: { lr: 'much' },
    cases: [{ strategy: 'sync' }, { strategy: 'telepathy' }],
    vary: { batch: [1, 100, 0], speed: [1] },
    references: [{ where: { workers: 0 }, measure: 'seconds', value: '12', source: 'us' }],
    quick: { cases: [{ emulate: 'nonsense' }] },
  };
  const found = lines(input);
  expect(found).toContain('vary.batch[2] must be a whole number from 1 to 60,000');
  expect(found).toContain('base.lr must be a number above 0, up to 1,000');
  expect(found).toContain('references[0].where.workers must be a whole number from 1 to 1,000');
  expect(found.map((line) => line.split(/:? /)[0])).toEqual([
    'base.lr',
    'cases[1].strategy',
    'vary.batch[2]',
    'vary.speed[0]',
    'references[0].where.workers',
    'quick.cases[0].emulate',
  ]);
});

test.each([
  [null, 'the sweep must be an object, in braces'],
  [{}, 'name must be text, in quotes'],
  [{ name: '../up' }, 'name must be a short name of small letters, digits and dashes'],
  [{ name: 'a', cases: {} }, 'cases must be a list, in brackets'],
  [{ name: 'a', vary: { batch: [] } }, 'vary.batch must be at least 1 entries'],
  [{ name: 'a', repeats: 1.5 }, 'repeats must be a whole number'],
  [{ name: 'a', repeats: 0 }, 'repeats must be at least 1'],
  [{ name: 'a', varies: {} }, 'the sweep has "varies", which is not known here'],
  [
    { name: 'a', references: [{ where: {}, measure: 'luck', value: '1', source: 'us' }] },
    'references[0].measure must be one of seconds, steps, accuracy, epochSeconds, stepSeconds, megabytesPerSecond, cpu',
  ],
])('%j is refused with: %s', (input, line) => {
  expect(lines(input)).toEqual([line]);
});

test('the quick size adds to the base and stands in for the rest', () => {
  const sweep = parseSweep({
    name: 'both',
    base: { lr: 0.1, epochs: 20 },
    vary: { batch: [1, 10, 100] },
    repeats: 3,
    quick: { base: { epochs: 1 }, vary: { workers: [2] } },
  });
  const quick = quickened(sweep);
  expect(quick).toMatchObject({ base: { lr: 0.1, epochs: 1 }, vary: { workers: [2] }, repeats: 3 });
  expect(quick.vary).not.toHaveProperty('batch');
  expect(quick).not.toHaveProperty('quick');
  expect(() => quickened(quick)).toThrow('no quick size');
});

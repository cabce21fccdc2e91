import { expect, test } from 'vitest';
import { safeName, uniqueNames } from './safe-name.ts';

test.each([
  ['amber-otter', 'amber-otter'],
  ['Zoë’s laptop', 'Zoe-s-laptop'],
  ['../../etc/passwd', 'etc-passwd'],
  ['con', 'con-0'],
  ['LPT1', 'LPT1-0'],
  ['...', 'unnamed'],
  ['', 'unnamed'],
  ['手', 'unnamed'],
  [`${'a'.repeat(47)} b`, 'a'.repeat(47)],
])('%j is called %j', (typed, name) => {
  expect(safeName(typed)).toBe(name);
});

test('names that differ in capitals or punctuation only are told apart', () => {
  const unique = uniqueNames();
  expect(['Ann', 'ann', 'a.n', 'ann-2', 'ANN'].map(unique)).toEqual(['Ann', 'ann-2', 'a-n', 'ann-2-2', 'ANN-3']);
});

import { expect, test } from 'vitest';
import type { Bound } from '../../observe/bottleneck/shares.ts';
import { type Steady, steady } from './steady-bottleneck.ts';

const found = (bound: Bound, number = 0) => ({ bound, number });
type Shown = Steady<ReturnType<typeof found>> | null;

/** What is shown second by second while these are found. */
function watch(findings: readonly ReturnType<typeof found>[]) {
  let shown: Shown = null;
  return findings.map((next, second) => {
    shown = steady(shown, next, second * 1000);
    return shown.bottleneck;
  });
}

test('numbers of the same bottleneck change every three seconds', () => {
  const numbers = watch(Array.from({ length: 8 }, (_, second) => found('compute', second))).map(({ number }) => number);
  expect(numbers).toEqual([0, 0, 0, 3, 3, 3, 6, 6]);
});

test('two that take turns do not flicker', () => {
  const turns = Array.from({ length: 30 }, (_, second) => found(second % 4 === 0 ? 'compute' : 'network'));
  expect(new Set(watch(turns).map(({ bound }) => bound))).toEqual(new Set(['compute']));
});

test('another is shown once it has held for six seconds', () => {
  const change = [found('compute'), ...Array.from({ length: 8 }, () => found('server'))];
  expect(watch(change).map(({ bound }) => bound)).toEqual([
    ...Array.from({ length: 7 }, () => 'compute'),
    'server',
    'server',
  ]);
});

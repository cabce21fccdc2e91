import { expect, it } from 'vitest';
import type { SimulatedRun } from './result.ts';
import { limitWords, winnerWords } from './winner.ts';

const run = (changed: Partial<SimulatedRun>): SimulatedRun => ({
  strategy: 'sync',
  stopReason: 'minutes',
  elapsedMs: 60_000,
  toTargetMs: null,
  updates: 10,
  examples: 100,
  testLoss: 0.5,
  accuracy: 0.9,
  workerBytes: { up: 1, down: 1 },
  hostBytes: { up: 1, down: 1 },
  shares: { compute: 0.2, wait: 0.71, transfer: 0.09, idle: 0.8 },
  hostBusy: { server: 0.1, up: 0.1, down: 0.1 },
  staleShare: 0,
  staleness: 0,
  joins: 0,
  leaves: 0,
  events: 1,
  curve: [],
  ...changed,
});

it('names what holds a run up most', () => {
  const shares = { compute: 0.2, wait: 0.1, transfer: 0.7, idle: 0.8 };
  expect(limitWords(run({}))).toBe('spends 71 % of the time waiting for the slowest');
  expect(limitWords(run({ strategy: 'allreduce' }))).toContain('round the ring');
  expect(limitWords(run({ shares }))).toContain('70 % of the time on the way');
  expect(limitWords(run({ shares, hostBusy: { server: 0.1, up: 0.97, down: 0.5 } }))).toContain('host can send (97 %)');
  expect(limitWords(run({ shares: { compute: 0.9, wait: 0, transfer: 0.1, idle: 0.1 } }))).toBe(
    'computes 90 % of the time',
  );
  expect(limitWords(run({ updates: 0, leaves: 3 }))).toBe('ends no round before somebody leaves');
});

it('says who came first, by how much, and why', () => {
  const shares = { compute: 0.9, wait: 0, transfer: 0.1, idle: 0.1 };
  const fast = run({ strategy: 'async', toTargetMs: 12_000, shares });
  expect(winnerWords([run({ toTargetMs: 60_000 }), fast], 0.5)).toBe(
    'async is first at a test loss of 0.5, after 0:12, 5.0 times as fast as sync: async computes 90 % of the time, sync spends 71 % of the time waiting for the slowest.',
  );
  expect(winnerWords([run({}), fast], 0.5)).toContain('sync does not get there');
  expect(winnerWords([run({}), run({ strategy: 'local', testLoss: 0.3 })], null)).toContain('local gets furthest');
  expect(winnerWords([run({})], null)).toBe('sync spends 71 % of the time waiting for the slowest.');
  expect(winnerWords([], null)).toBe('');
});

it('crowns nobody whose lead one seed cannot show', () => {
  const close = [
    run({ testLoss: 0.283 }),
    run({ strategy: 'async', testLoss: 0.286 }),
    run({ strategy: 'local', testLoss: 0.6 }),
  ];
  expect(winnerWords(close, null)).toMatch(
    /^sync and async are level at a test loss of 0.283; one seed tells no more\./,
  );
  expect(winnerWords([run({ toTargetMs: 1000 }), run({ strategy: 'local', toTargetMs: 1015 })], 0.5)).toContain(
    'level',
  );
});

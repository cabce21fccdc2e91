import { expect, test } from 'vitest';
import { type NodeResources, noSample, type TimedSample } from '../../../core/wire/resources.ts';
import { inOrder, pressureStretches, ratesOf, resourceLines, resourceMetrics } from './resources-series.ts';

const at = (atMs: number, changes: Partial<TimedSample> = {}): TimedSample => ({ ...noSample, ...changes, atMs });
const node = (name: string, worker: number | null, samples: readonly TimedSample[] = []): NodeResources => ({
  node: name,
  worker,
  source: 'tab',
  samples,
});

test('rates are what a total grew by per second, and nothing where it was counted anew or not told', () => {
  const totals = [100, 300, 300, 50, null, 80, 120];
  const samples = totals.map((sentBytes, index) => at(index * 500, { sentBytes }));
  expect(ratesOf(samples, ({ sentBytes }) => sentBytes)).toEqual([null, 400, 0, null, null, null, 80]);
  expect(ratesOf([at(5, { sentBytes: 1 }), at(5, { sentBytes: 2 })], ({ sentBytes }) => sentBytes)).toEqual([
    null,
    null,
  ]);
});

test('nodes that do not tell a metric are named apart', () => {
  const memory = resourceMetrics.find(({ name }) => name === 'Memory') as (typeof resourceMetrics)[number];
  const { lines, silent } = resourceLines(
    [node('host', null, [at(0), at(1000, { memoryBytes: 5 })]), node('worker 1', 1, [at(0)])],
    memory,
  );
  expect(lines.map(({ node, x, y }) => [node.node, x, y])).toEqual([['host', [0, 1], [null, 5]]]);
  expect(silent.map(({ node }) => node)).toEqual(['worker 1']);
});

test('the host comes first, then workers by number, then the rest', () => {
  const nodes = [node('machine', null), node('worker 10', 10), node('host', null), node('worker 2', 2)];
  expect(inOrder(nodes).map(({ node }) => node)).toEqual(['host', 'worker 2', 'worker 10', 'machine']);
});

test('pressure is a row of stretches, each up to the look that told it', () => {
  const samples = [
    at(0, { pressure: 'nominal' }),
    at(1000, { pressure: 'nominal' }),
    at(2000, { pressure: 'serious' }),
    at(3000),
    at(4000, { pressure: 'nominal' }),
  ];
  expect(pressureStretches(samples, 0, 4000)).toEqual([
    { pressure: 'nominal', from: 0, to: 0.25 },
    { pressure: 'serious', from: 0.25, to: 0.5 },
    { pressure: 'nominal', from: 0.75, to: 1 },
  ]);
});

import { expect, test } from 'vitest';
import { type NodeResources, noSample, type TimedSample } from '../../../core/wire/resources.ts';
import { resourceMetrics } from '../../../observe/resource-metrics.ts';
import { inOrder, pressureStretches, resourceLines } from './resources-series.ts';

const at = (atMs: number, changes: Partial<TimedSample> = {}): TimedSample => ({ ...noSample, ...changes, atMs });
const node = (name: string, worker: number | null, samples: readonly TimedSample[] = []): NodeResources => ({
  node: name,
  worker,
  source: 'tab',
  samples,
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

test('pressure is a row of stretches, each up to the sample that told it', () => {
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

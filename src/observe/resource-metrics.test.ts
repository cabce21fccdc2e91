import { expect, test } from 'vitest';
import { noSample, type TimedSample } from '../core/wire/resources.ts';
import { metricValues } from './resource-metrics.ts';

const at = (atMs: number, changes: Partial<TimedSample> = {}): TimedSample => ({ ...noSample, ...changes, atMs });
const sent = { key: 'sentBytes', unit: 'bytes/s' } as const;

test('rates are what a total grew by per second, and nothing where it was counted anew or not told', () => {
  const totals = [100, 300, 300, 50, null, 80, 120];
  const samples = totals.map((sentBytes, index) => at(index * 500, { sentBytes }));
  expect(metricValues(samples, sent)).toEqual([null, 400, 0, null, null, null, 80]);
  expect(metricValues([at(5, { sentBytes: 1 }), at(5, { sentBytes: 2 })], sent)).toEqual([null, null]);
});

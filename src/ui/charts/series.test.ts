import { expect, test } from 'vitest';
import type { TestPoint, TrainPoint } from '../../core/server/progress.ts';
import { emptyLog } from '../host/scripted-host-for-tests.ts';
import { linesOf, nearest, thin } from './series.ts';

const range = (size: number) => Array.from({ length: size }, (_, index) => index);

test('thinning keeps the ends and a lone spike, in order', () => {
  const y = range(50_000).map((at) => (at === 31_337 ? 99 : at === 777 ? -99 : Math.sin(at)));
  const line = thin({ x: range(50_000), y }, 100);
  expect(line.x.length).toBeLessThanOrEqual(202);
  expect(line.x[0]).toBe(0);
  expect(line.x.at(-1)).toBe(49_999);
  expect(Math.max(...line.y)).toBe(99);
  expect(Math.min(...line.y)).toBe(-99);
  expect(line.x).toEqual([...line.x].sort((a, b) => a - b));
});

test('a short line is left as it is', () => {
  const line = { x: [1, 2, 3], y: [3, 2, 1] };
  expect(thin(line)).toBe(line);
});

test('the nearest point is found on both sides and beyond the ends', () => {
  const line = { x: [0, 10, 20], y: [0, 0, 0] };
  expect([-5, 4, 6, 14, 16, 99].map((x) => nearest(line, x))).toEqual([0, 0, 1, 1, 2, 2]);
  expect(nearest({ x: [], y: [] }, 1)).toBe(-1);
});

test('lines are computed again only when the run has grown or a setting has changed', () => {
  const train: TrainPoint[] = [{ step: 1, elapsedMs: 500, wallMs: 9_000, loss: 2 }];
  const testPoints: TestPoint[] = [
    { step: 1, elapsedMs: 700, wallMs: 9_200, loss: 1.5, examples: 100, accuracy: 0.6, precisions: [], auc: null },
  ];
  const log = { ...emptyLog, train, test: testPoints };
  const first = linesOf(log, 'loss', 'relative', 0);
  expect(first.train?.raw).toEqual({ x: [0.5], y: [2] });
  expect(linesOf(log, 'accuracy', 'relative', 0).test.raw).toEqual({ x: [0.7], y: [0.6] });
  expect(linesOf(log, 'loss', 'relative', 0)).toBe(first);
  train.push({ step: 2, elapsedMs: 900, wallMs: 9_400, loss: 1 });
  expect(linesOf(log, 'loss', 'relative', 0).train?.raw.y).toEqual([2, 1]);
  expect(linesOf(log, 'loss', 'step', 0).train?.raw.x).toEqual([1, 2]);
});

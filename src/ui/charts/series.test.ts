import { expect, test } from 'vitest';
import type { TestPoint, TrainPoint } from '../../core/server/progress.ts';
import { emptyLog } from '../host/scripted-host-for-tests.ts';
import { linesOf } from './series.ts';

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

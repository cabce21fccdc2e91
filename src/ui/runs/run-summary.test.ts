import { expect, test } from 'vitest';
import { noCounters, type RunState, type TestPoint } from '../../core/server/progress.ts';
import { defaultExperiment, type Experiment } from '../../experiment/experiment.ts';
import { newLog } from '../../host/run-log.ts';
import { examplesOf, fractionDone, lastTest, reached, stepsOf, timeOf } from './run-summary.ts';

const point = (step: number, loss: number): TestPoint => ({
  step,
  loss,
  elapsedMs: step * 10,
  wallMs: step * 10,
  examples: step * 100,
  accuracy: 1 - loss / 10,
  precisions: [],
  auc: null,
});

test('a run of which only curves are known has the last of each, and the first time at the target', () => {
  const log = {
    ...newLog('a', defaultExperiment, 0),
    train: [{ step: 310, elapsedMs: 3100, wallMs: 3100, loss: 0.2 }],
    test: [point(100, 0.5), point(200, 0.35), point(300, 0.36)],
  };
  const run = { log, numbers: null };
  expect([stepsOf(run), timeOf(run), examplesOf(run)]).toEqual([310, 3100, 30_000]);
  expect(lastTest(run)).toMatchObject({ loss: 0.36, accuracy: 0.964, auc: null });
  expect(reached(run, 0.35)?.elapsedMs).toBe(2000);
  const begun = { log: { ...log, train: [], test: [] }, numbers: null };
  expect([stepsOf(begun), lastTest(begun), reached(begun, 0.35)]).toEqual([0, undefined, undefined]);
});

const running = (rules: Partial<Experiment>): RunState => ({
  id: 'a',
  run: 1,
  experiment: { ...defaultExperiment, epochs: null, ...rules },
  phase: 'running',
  stopReason: null,
  version: 500,
  examples: 60_000,
  elapsedMs: 30_000,
  startedAtMs: 0,
  leftMs: null,
  counters: noCounters,
});

test('progress follows the rule that will hold first', () => {
  expect(fractionDone(running({ maxSteps: 2000, epochs: 2, minutes: 5 }))).toBe(0.5);
  expect(fractionDone(running({ maxSteps: 2000 }))).toBe(0.25);
  expect(fractionDone(running({ maxSteps: 400 }))).toBe(1);
});

test('a loss alone cannot be foreseen', () => {
  expect(fractionDone(running({ untilLoss: 0.35 }))).toBeNull();
  expect(fractionDone({ ...running({ untilLoss: 0.35 }), phase: 'finished' })).toBe(1);
});

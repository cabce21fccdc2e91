import { expect, test } from 'vitest';
import { noCounters, type RunState, type TestPoint } from '../../core/server/progress.ts';
import { defaultExperiment, type Experiment } from '../../experiment/experiment.ts';
import { fractionDone, summarize } from './run-summary.ts';

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

test('a summary has the last test and the first time at the target', () => {
  const log = {
    id: 'a',
    experiment: defaultExperiment,
    startedAtMs: 0,
    summary: null,
    end: null,
    workerCurves: [],
    resources: [],
    timeline: { steps: [], spans: [] },
    profile: null,
    train: [{ step: 310, elapsedMs: 3100, wallMs: 3100, loss: 0.2 }],
    test: [point(100, 0.5), point(200, 0.35), point(300, 0.36)],
  };
  expect(summarize(log, 0.35)).toEqual({
    steps: 310,
    elapsedMs: 3100,
    examples: 30_000,
    testLoss: 0.36,
    accuracy: 0.964,
    auc: null,
    toTargetMs: 2000,
  });
  expect(summarize({ ...log, train: [], test: [] }, 0.35)).toMatchObject({
    steps: 0,
    testLoss: null,
    toTargetMs: null,
  });
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

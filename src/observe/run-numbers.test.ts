import { expect, test } from 'vitest';
import { Member } from '../core/server/member.ts';
import { noCounters, type RunState } from '../core/server/progress.ts';
import { TallyCounter } from '../core/wire/traffic.ts';
import { defaultExperiment } from '../experiment/experiment.ts';
import { runSummary } from './run-numbers.ts';

const run: RunState = {
  id: 'a',
  run: 1,
  experiment: defaultExperiment,
  phase: 'finished',
  stopReason: 'epochs',
  version: 40,
  examples: 5000,
  elapsedMs: 9000,
  startedAtMs: 0,
  leftMs: null,
  counters: { ...noCounters, applied: 50, stale: 4, rejected: 1 },
};

function worker(number: number, isLocal: boolean) {
  const [sent, received] = [new TallyCounter(), new TallyCounter()];
  sent.add('parameters', 1000);
  sent.add('control', 10);
  received.add('gradients', 300);
  const state = new Member(number, '', '', isLocal).state(0);
  const phases = { ...state.phases, waitMs: 100, computeMs: 300 };
  const counted = { applied: 10, examples: 1000, stalenessSum: 5, stalenessMax: number, peerBytes: 70, phases };
  return { ...state, ...counted, traffic: { sent: sent.counts, received: received.counts } };
}

test('a run is summed up over its workers; the host’s own uses no wire', () => {
  const idle = { ...worker(3, false), applied: 0, examples: 0, stalenessSum: 0 };
  expect(runSummary({ run, workers: [worker(0, true), worker(1, false), idle] })).toEqual({
    elapsedMs: 9000,
    steps: 40,
    examples: 5000,
    countedExamples: 2000,
    workers: 2,
    applied: 50,
    stale: 4,
    rejected: 1,
    stalenessMean: 0.5,
    stalenessMax: 3,
    bytesUp: { control: 0, parameters: 0, gradients: 600, data: 0 },
    bytesDown: { control: 20, parameters: 2000, gradients: 0, data: 0 },
    bytesBetween: 210,
    waitShare: 0.25,
  });
});

test('without a run there is nothing to sum up, and without work no share of it', () => {
  expect(runSummary({ run: null, workers: [] })).toBeNull();
  expect(runSummary({ run, workers: [] })).toMatchObject({ waitShare: null, stalenessMean: 0, workers: 0 });
});

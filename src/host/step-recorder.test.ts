import { expect, test } from 'vitest';
import { noPhases } from '../core/wire/phases.ts';
import type { ToWorker } from '../core/wire/protocol.ts';
import { extendTimeline, StepRecorder } from './step-recorder.ts';

const push = (seq: number, version = seq - 1) =>
  ({
    type: 'push',
    run: 1,
    seq,
    lease: seq,
    version,
    examples: 10,
    loss: 1,
    correct: null,
    phases: { ...noPhases, computeMs: 5 },
    peerBytes: 0,
    next: null,
  }) as const;

const answer = (seq: number, isNext = true): Extract<ToWorker, { type: 'answer' }> => ({
  type: 'answer',
  run: 1,
  seq,
  verdict: { kind: 'applied', staleness: 2 },
  version: seq,
  pauses: 0,
  heldMs: 0,
  isNext,
  leases: [],
  due: 0,
});

test('a step is told once, when it was answered', () => {
  const recorder = new StepRecorder();
  recorder.pushed(7, 3, push(1), 100, 2);
  expect(recorder.news()).toBeNull();
  recorder.answered(7, answer(1), 110, 1);
  const [step] = recorder.news()?.steps ?? [];
  expect(step).toMatchObject({ worker: 3, receivedMs: 100, applyMs: 2, answeredMs: 110, answerMs: 1, staleness: 2 });
  expect(step?.phases.computeMs).toBe(5);
  expect(recorder.news()).toBeNull();
});

const given = (recorder: StepRecorder) => recorder.news()?.steps.map(({ givenMs, pausedMs }) => [givenMs, pausedMs]);

test('a step began when the parameters it was computed on were given, with an answer or without', () => {
  const recorder = new StepRecorder();
  recorder.sentParams(7, 0, 90);
  recorder.pushed(7, 3, push(1), 100, 2);
  recorder.answered(7, answer(1), 110, 1);
  recorder.pushed(7, 3, push(2), 150, 2);
  recorder.answered(7, answer(2, false), 160, 1);
  recorder.sentParams(7, 2, 400);
  // It asked for their values: the step is still the same.
  recorder.sentParams(7, 2, 405);
  recorder.pushed(7, 3, push(3), 450, 2);
  recorder.answered(7, answer(3), 460, 1);
  expect(given(recorder)).toEqual([
    [90, 0],
    [110, 0],
    [400, 0],
  ]);
});

test('with overlap a step began with the parameters of the answer before the last', () => {
  const recorder = new StepRecorder();
  recorder.sentParams(7, 0, 90);
  for (const [seq, version] of [
    [1, 0],
    [2, 0],
    [3, 1],
    [4, 2],
  ] as const) {
    recorder.pushed(7, 3, push(seq, version), seq * 100, 2);
    recorder.answered(7, answer(seq), seq * 100 + 10, 1);
  }
  expect(given(recorder)?.map(([givenMs]) => givenMs)).toEqual([90, 90, 110, 210]);
});

test('a pause is counted to the step after it, which begins anew', () => {
  const recorder = new StepRecorder();
  recorder.sentParams(7, 0, 90);
  recorder.pushed(7, 3, push(1), 100, 2);
  recorder.answered(7, answer(1), 110, 1);
  recorder.paused(7, true, 120);
  recorder.paused(7, false, 500);
  recorder.sentParams(7, 1, 501);
  recorder.pushed(7, 3, push(2), 600, 2);
  recorder.answered(7, answer(2), 610, 1);
  recorder.pushed(7, 3, push(3), 700, 2);
  recorder.answered(7, answer(3), 710, 1);
  expect(given(recorder)).toEqual([
    [90, 0],
    [501, 380],
    [610, 0],
  ]);
});

test('an answer to another push, or of a run before, is none of its steps', () => {
  const recorder = new StepRecorder();
  recorder.pushed(7, 3, push(2), 100, 2);
  recorder.answered(7, answer(1), 110, 1);
  recorder.restart();
  recorder.answered(7, answer(2), 120, 1);
  expect(recorder.news()).toBeNull();
});

test('a timeline keeps its last 2,000 steps', () => {
  const recorder = new StepRecorder();
  let timeline = extendTimeline({ steps: [], spans: [] }, { steps: [], spans: [] });
  for (let seq = 1; seq <= 2500; seq++) {
    recorder.pushed(7, 3, push(seq), seq, 0);
    recorder.answered(7, answer(seq), seq, 0);
    if (seq % 100 === 0) timeline = extendTimeline(timeline, recorder.news() ?? timeline);
  }
  expect(timeline.steps.map(({ seq }) => seq)).toEqual(Array.from({ length: 2000 }, (_, i) => 501 + i));
});

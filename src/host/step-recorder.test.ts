import { expect, test } from 'vitest';
import { noPhases } from '../core/member.ts';
import type { ToWorker } from '../core/protocol.ts';
import { extendTimeline, StepRecorder } from './step-recorder.ts';

const push = (seq: number) =>
  ({
    type: 'push',
    run: 1,
    seq,
    lease: seq,
    version: seq - 1,
    examples: 10,
    loss: 1,
    correct: null,
    phases: { ...noPhases, computeMs: 5 },
    peerBytes: 0,
    next: null,
  }) as const;

const answer = (seq: number): Extract<ToWorker, { type: 'answer' }> => ({
  type: 'answer',
  run: 1,
  seq,
  verdict: { kind: 'applied', staleness: 2 },
  version: seq,
  pauses: 0,
  heldMs: 0,
  isNext: true,
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

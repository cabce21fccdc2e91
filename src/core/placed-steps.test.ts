import { describe, expect, test } from 'vitest';
import { type PlacedSpan, placeSteps, workerSpanKinds } from './placed-steps.ts';
import { type Rng, rng } from './rng.ts';
import type { StepTrace } from './step-trace.ts';

const step = (changes: Partial<StepTrace>): StepTrace => ({
  worker: 1,
  seq: 1,
  version: 0,
  examples: 100,
  receivedMs: 100,
  answeredMs: 110,
  applyMs: 2,
  answerMs: 1,
  phases: { waitMs: 0, transferMs: 4, decodeMs: 1, computeMs: 10, readMs: 2, encodeMs: 3, sendMs: 4 },
  verdict: 'applied',
  staleness: 0,
  ...changes,
});

const shown = (spans: readonly PlacedSpan[]) =>
  spans.map(({ kind, startMs, durationMs }) => `${kind} ${startMs}+${durationMs}`);
const ofWorker = (spans: readonly PlacedSpan[], worker: number) => spans.filter(({ node }) => node === worker);
const endOf = ({ startMs, durationMs }: PlacedSpan) => startMs + durationMs;

test('a step lies between the answer before it and its arrival, half of the rest on either side', () => {
  const spans = placeSteps({ steps: [step({}), step({ seq: 2, receivedMs: 136, answeredMs: 140 })], spans: [] });
  const second = ofWorker(spans, 1).filter((span) => span.step?.seq === 2);
  expect(shown(second)).toEqual([
    'transfer 110+3',
    'decode 113+1',
    'compute 114+10',
    'read 124+2',
    'encode 126+3',
    'send 129+4',
    'transfer 133+3',
    'wait 136+4',
  ]);
});

test('work that began before the last answer ends the wait for it', () => {
  const spans = placeSteps({ steps: [step({}), step({ seq: 2, receivedMs: 123 })], spans: [] });
  const wait = spans.find(({ kind, step: of }) => kind === 'wait' && of?.seq === 1);
  expect(wait).toMatchObject({ startMs: 100, durationMs: 3 });
  expect(spans.find(({ kind, step: of }) => kind === 'decode' && of?.seq === 2)?.startMs).toBe(103);
});

test('work that is longer than the time since the last push is drawn shorter, in proportion', () => {
  const spans = placeSteps({ steps: [step({}), step({ seq: 2, receivedMs: 110 })], spans: [] });
  const second = ofWorker(spans, 1).filter((span) => span.step?.seq === 2 && span.kind !== 'wait');
  expect(shown(second)).toEqual([
    'decode 100+0.5',
    'compute 100.5+5',
    'read 105.5+1',
    'encode 106.5+1.5',
    'send 108+2',
  ]);
});

test('the host applies one push after another, and what it does beside that keeps its time', () => {
  const spans = placeSteps({
    steps: [step({ worker: 2, receivedMs: 101 }), step({})],
    spans: [{ kind: 'evaluation', startMs: 90, durationMs: 50 }],
  });
  expect(shown(spans.filter(({ node }) => node === 'host'))).toEqual([
    'evaluation 90+50',
    'apply 100+2',
    'answer 102+1',
    'apply 103+2',
    'answer 105+1',
  ]);
});

test('a push without an answer is waited for by nobody', () => {
  expect(placeSteps({ steps: [step({ answeredMs: null })], spans: [] }).some(({ kind }) => kind === 'wait')).toBe(
    false,
  );
});

/** Steps as they may come: in order for each worker, with phases that may or may not fit, some never answered. */
function randomSteps(random: Rng): StepTrace[] {
  return Array.from({ length: 3 }, (_, worker) => {
    let nowMs = random.uniform() * 50;
    return Array.from({ length: 20 }, (_, index) => {
      const ms = () => (random.below(4) === 0 ? 0 : random.uniform() * 10);
      const [decodeMs, computeMs, readMs, encodeMs, sendMs] = [ms(), ms() * 4, ms(), ms(), ms()];
      nowMs += random.uniform() * 80;
      const receivedMs = nowMs;
      const answeredMs = random.below(10) === 0 ? null : receivedMs + ms();
      nowMs = random.below(5) === 0 ? receivedMs : (answeredMs ?? receivedMs);
      const phases = { waitMs: ms(), transferMs: ms(), decodeMs, computeMs, readMs, encodeMs, sendMs };
      return step({ worker, seq: index, receivedMs, answeredMs, applyMs: ms(), answerMs: ms(), phases });
    });
  })
    .flat()
    .sort((a, b) => a.receivedMs - b.receivedMs);
}

describe.each([1, 2, 3, 4, 5, 6, 7, 8])('random timelines, seed %i', (seed) => {
  const steps = randomSteps(rng(seed, 'timeline'));
  const spans = placeSteps({ steps, spans: [] });
  const close = 1e-9;

  test('spans have a length, and those of one worker or of the server never overlap', () => {
    for (const node of [0, 1, 2, 'host'] as const) {
      const own = spans.filter((span) => span.node === node);
      for (const [index, span] of own.entries()) {
        expect(span.durationMs).toBeGreaterThan(0);
        expect(span.startMs).toBeGreaterThanOrEqual(0);
        expect(span.startMs + close).toBeGreaterThanOrEqual(index === 0 ? 0 : endOf(own[index - 1] as PlacedSpan));
      }
    }
  });

  test('a step fills the time from the last answer, or from the start of work before it, to its arrival', () => {
    for (const worker of [0, 1, 2]) {
      const own = steps.filter((of) => of.worker === worker);
      for (const [index, one] of own.entries()) {
        const parts = ofWorker(spans, worker).filter((span) => span.step === one && span.kind !== 'wait');
        const sum = (kinds: readonly string[]) =>
          parts.filter(({ kind }) => kinds.includes(kind)).reduce((total, { durationMs }) => total + durationMs, 0);
        const { decodeMs, computeMs, readMs, encodeMs, sendMs } = one.phases;
        const workMs = decodeMs + computeMs + readMs + encodeMs + sendMs;
        const before = own[index - 1];
        if (before === undefined) continue;
        const answerMs = before.answeredMs ?? before.receivedMs;
        const startMs = Math.max(before.receivedMs, Math.min(answerMs, one.receivedMs - workMs));
        expect(sum(workerSpanKinds)).toBeCloseTo(one.receivedMs - startMs, 8);
        expect(sum(['transfer'])).toBeCloseTo(Math.max(0, one.receivedMs - startMs - workMs), 8);
        for (const span of parts) {
          expect(span.startMs + close).toBeGreaterThanOrEqual(startMs);
          expect(endOf(span)).toBeLessThanOrEqual(one.receivedMs + close);
        }
      }
    }
  });
});

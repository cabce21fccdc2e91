import { describe, expect, test } from 'vitest';
import { type Rng, rng } from '../core/math/rng.ts';
import { type PlacedSpan, placeSteps } from './placed-steps.ts';
import type { StepTrace } from './step-trace.ts';

const phases = { waitMs: 0, transferMs: 4, decodeMs: 1, computeMs: 10, readMs: 2, encodeMs: 3, sendMs: 4 };
const step = (changes: Partial<StepTrace>): StepTrace => ({
  worker: 1,
  seq: 1,
  version: 0,
  examples: 100,
  givenMs: null,
  pausedMs: 0,
  receivedMs: 100,
  answeredMs: 110,
  applyMs: 2,
  answerMs: 1,
  phases,
  verdict: 'applied',
  staleness: 0,
  ...changes,
});

const shown = (spans: readonly PlacedSpan[]) =>
  spans.map(({ kind, startMs, durationMs }) => `${kind} ${startMs}+${durationMs}`);
const ofWorker = (spans: readonly PlacedSpan[], worker: number) => spans.filter(({ node }) => node === worker);
const endOf = ({ startMs, durationMs }: PlacedSpan) => startMs + durationMs;

/** What a worker did, with the number of the step it is drawn for. */
const drawn = (...steps: StepTrace[]) =>
  ofWorker(placeSteps({ steps, spans: [] }), 1).map(
    ({ kind, startMs, durationMs, step: of }) => `${of?.seq} ${kind} ${startMs}+${durationMs}`,
  );

test('a step lies between its parameters and its arrival, half of the way on either side', () => {
  const spans = drawn(step({}), step({ seq: 2, receivedMs: 136, answeredMs: 140 }), step({ seq: 3, receivedMs: 200 }));
  expect(spans.slice(spans.indexOf('1 wait 100+10'), spans.indexOf('2 wait 136+4') + 1)).toEqual([
    '1 wait 100+10',
    '2 transfer 110+3',
    '2 decode 113+1',
    '2 compute 114+10',
    '2 read 124+2',
    '2 encode 126+3',
    '2 send 129+4',
    '2 transfer 133+3',
    '2 wait 136+4',
  ]);
});

test('encoding and sending are drawn with the push they are of, which is the one before the push that tells them', () => {
  const told = (encodeMs: number, sendMs: number) => ({ phases: { ...phases, encodeMs, sendMs } });
  const spans = drawn(
    step({ givenMs: 60, ...told(0, 0) }),
    step({ seq: 2, receivedMs: 150, answeredMs: 150, ...told(5, 6) }),
    step({ seq: 3, receivedMs: 200, answeredMs: 200, ...told(7, 8) }),
  );
  const ofKind = (kind: string) =>
    spans.flatMap((span) => (span.includes(kind) ? [span.replace(/ [\d.]+\+/, ' ')] : []));
  expect(ofKind('encode')).toEqual(['1 encode 5', '2 encode 7']);
  expect(ofKind('send')).toEqual(['1 send 6', '2 send 8']);
  // Of the last one they are not known yet, and part of its way.
  expect(ofKind('3 transfer')).toEqual(['3 transfer 18.5', '3 transfer 18.5']);
});

test('who gets no parameters with its answer waits for them', () => {
  const spans = drawn(step({}), step({ seq: 2, receivedMs: 160, givenMs: 141, answeredMs: 160 }));
  expect(spans.slice(spans.indexOf('1 wait 100+41'))).toEqual([
    '1 wait 100+41',
    '2 transfer 141+3',
    '2 decode 144+1',
    '2 compute 145+10',
    '2 read 155+2',
    '2 transfer 157+3',
  ]);
});

test('a pause is neither waiting nor on the way', () => {
  const spans = drawn(step({}), step({ seq: 2, receivedMs: 960, givenMs: 941, pausedMs: 820, answeredMs: 960 }));
  expect(spans.slice(spans.indexOf('1 wait 100+10'), -4)).toEqual([
    '1 wait 100+10',
    '1 pause 110+820',
    '1 wait 930+11',
    '2 transfer 941+3',
  ]);
});

test('a worker that left and came back was not there in between', () => {
  const spans = drawn(step({ seq: 8 }), step({ seq: 1, receivedMs: 960, givenMs: 941, answeredMs: 960 }));
  expect(spans.slice(spans.indexOf('8 wait 100+10'), -4)).toEqual(['8 wait 100+10', '1 transfer 941+3']);
});

test('with overlap work begins when the push before is away, and is handed in after its answer', () => {
  // Between 50 and 100: 20 ms of work, 15 on the way back and 15 there, so that it is away at 85.
  const first = step({ givenMs: 50 });
  const second = step({ seq: 2, givenMs: 50, receivedMs: 147, answeredMs: 150 });
  const early = drawn(first, second, step({ seq: 3, receivedMs: 250, givenMs: 150 }));
  expect(early.slice(early.indexOf('1 send 81+4'), early.indexOf('2 wait 147+3') + 1)).toEqual([
    '1 send 81+4',
    '2 decode 85+1',
    '2 compute 86+10',
    '2 read 96+2',
    '1 transfer 98+2',
    '1 wait 100+10',
    '2 transfer 110+15',
    '2 encode 125+3',
    '2 send 128+4',
    '2 transfer 132+15',
    '2 wait 147+3',
  ]);
  // The answer found it computing: it is handed in at once.
  const long = { ...second, phases: { ...phases, computeMs: 42 } };
  const late = drawn(first, long, step({ seq: 3, receivedMs: 250, givenMs: 150 }));
  expect(late.slice(late.indexOf('2 read 128+2'), late.indexOf('2 wait 147+3'))).toEqual([
    '2 read 128+2',
    '2 encode 130+3',
    '2 send 133+4',
    '2 transfer 137+10',
  ]);
});

test('work that is longer than there was time is drawn shorter, in proportion', () => {
  const spans = drawn(
    step({ answeredMs: 100 }),
    step({ seq: 2, receivedMs: 110, answeredMs: 110 }),
    step({ seq: 3, receivedMs: 200 }),
  );
  expect(spans.filter((span) => span.startsWith('2'))).toEqual([
    '2 decode 100+0.5',
    '2 compute 100.5+5',
    '2 read 105.5+1',
    '2 encode 106.5+1.5',
    '2 send 108+2',
  ]);
});

test('the host works on a push when it comes and on its answer before that goes out, one thing at a time', () => {
  const spans = placeSteps({
    steps: [step({ worker: 2, receivedMs: 103, answeredMs: 107.5 }), step({ answeredMs: 106 })],
    spans: [{ kind: 'evaluation', startMs: 90, durationMs: 50 }],
  });
  expect(shown(spans.filter(({ node }) => node === 'host'))).toEqual([
    'evaluation 90+50',
    'apply 100+2',
    'apply 103+2',
    'answer 105+1',
    'answer 106.5+1',
  ]);
});

test('a push without an answer is waited for by nobody', () => {
  expect(placeSteps({ steps: [step({ answeredMs: null })], spans: [] }).some(({ kind }) => kind === 'wait')).toBe(
    false,
  );
});

/** Steps as they may come: in order for each worker, with phases that may or may not fit, pauses, overlap, and workers that leave. */
function randomSteps(random: Rng): StepTrace[] {
  return Array.from({ length: 3 }, (_, worker) => {
    let nowMs = random.uniform() * 50;
    let seq = 0;
    let before: StepTrace | null = null;
    return Array.from({ length: 20 }, () => {
      const ms = () => (random.below(4) === 0 ? 0 : random.uniform() * 10);
      const [decodeMs, computeMs, readMs, encodeMs, sendMs] = [ms(), ms() * 4, ms(), ms(), ms()];
      const hasLeft = random.below(8) === 0;
      seq = hasLeft ? 1 : seq + 1;
      const answeredMs: number = before?.answeredMs ?? before?.receivedMs ?? nowMs;
      const isOverlapped = before !== null && !hasLeft && random.below(4) === 0;
      const pausedMs = hasLeft || isOverlapped ? 0 : ms();
      const givenMs: number = isOverlapped ? (before?.receivedMs ?? 0) - ms() : answeredMs + pausedMs + ms();
      const receivedMs = Math.max(givenMs, answeredMs) + random.uniform() * 80;
      const all = { waitMs: ms(), transferMs: ms(), decodeMs, computeMs, readMs, encodeMs, sendMs };
      nowMs = receivedMs;
      before = step({
        worker,
        seq,
        givenMs: random.below(10) === 0 ? null : givenMs,
        pausedMs,
        receivedMs,
        answeredMs: receivedMs + ms(),
        applyMs: ms(),
        answerMs: ms(),
        phases: all,
      });
      return before;
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

  test('what a worker did adds up to the time it was there, and work is never longer than it told', () => {
    const sum = (of: readonly PlacedSpan[]) => of.reduce((total, { durationMs }) => total + durationMs, 0);
    for (const worker of [0, 1, 2]) {
      const own = steps.filter((of) => of.worker === worker);
      const all = ofWorker(spans, worker);
      const starts = own.filter(({ seq }, index) => seq !== (own[index - 1]?.seq ?? -1) + 1);
      for (const [index, first] of starts.entries()) {
        const next = starts[index + 1];
        const stay = own.slice(own.indexOf(first), next ? own.indexOf(next) : own.length);
        const parts = all.filter(({ step: of }) => of !== null && stay.includes(of));
        const last = stay.at(-1) as StepTrace;
        expect(sum(parts)).toBeCloseTo((last.answeredMs ?? 0) - (parts[0]?.startMs ?? 0), 8);
        if (first.givenMs !== null) expect(parts[0]?.startMs).toBeCloseTo(first.givenMs, 8);
      }
      for (const one of own) {
        const ofStep = (kind: string) => sum(all.filter((span) => span.step === one && span.kind === kind));
        expect(ofStep('compute')).toBeLessThanOrEqual(one.phases.computeMs + close);
        expect(ofStep('decode')).toBeLessThanOrEqual(one.phases.decodeMs + close);
      }
    }
  });
});

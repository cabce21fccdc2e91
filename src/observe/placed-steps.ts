import type { Phases } from '../core/wire/protocol.ts';
import type { StepTrace, Timeline } from './step-trace.ts';

/** What a worker does in a step, in order; `transfer` comes before and after, then `wait`, and `pause` when its volunteer pauses. */
export const workerSpanKinds = ['pause', 'wait', 'transfer', 'decode', 'compute', 'read', 'encode', 'send'] as const;
export const hostSpanKinds = ['apply', 'answer', 'evaluation', 'checkpoint'] as const;
export type PlacedKind = (typeof workerSpanKinds)[number] | (typeof hostSpanKinds)[number];

/** Something a node did, and when: milliseconds since the run began, by the host's clock. */
export interface PlacedSpan {
  /** The number of a worker, or the host. */
  readonly node: number | 'host';
  readonly kind: PlacedKind;
  readonly startMs: number;
  readonly durationMs: number;
  /** The step it belongs to; null for what the host does beside them. */
  readonly step: StepTrace | null;
}

/**
 * Lays the steps of a timeline out in time, in the order of their starts.
 *
 * A worker's step takes from when it was given its parameters until its push is received: what is not work is the way there
 * and back, half before the work and half after. From there to its answer it waits, and on until it is given parameters,
 * but for a pause. With overlap it was given them before its last push was answered: it computes as soon as that is away,
 * and what is left until then is that push's way and waiting. Work that is longer than there was time is drawn shorter, in
 * proportion.
 *
 * So spans of a worker never overlap, and fill the time from the first parameters to the last answer; only while it was gone
 * there are none. Neither do `apply` and `answer` of the host overlap, whose server is one thread. Spans of no length are
 * left out.
 */
export function placeSteps({ steps, spans }: Timeline): PlacedSpan[] {
  const byArrival = [...steps].sort((a, b) => a.receivedMs - b.receivedMs);
  const byWorker = new Map<number, StepTrace[]>();
  for (const step of byArrival) {
    const own = byWorker.get(step.worker);
    if (own) own.push(step);
    else byWorker.set(step.worker, [step]);
  }
  const placed = [
    ...hostWork(byArrival),
    ...spans.map(({ kind, startMs, durationMs }) => ({ node: 'host' as const, kind, startMs, durationMs, step: null })),
    ...[...byWorker.values()].flatMap(workerSpans),
  ];
  return placed.filter(({ durationMs }) => durationMs > 0).sort((a, b) => a.startMs - b.startMs);
}

/** A push is worked on when it comes, and its answer, which may be much later, is made until it goes out. */
function hostWork(steps: readonly StepTrace[]): PlacedSpan[] {
  const work = steps.flatMap((step): PlacedSpan[] => {
    const { receivedMs, answeredMs, applyMs, answerMs } = step;
    const apply: PlacedSpan = { node: 'host', kind: 'apply', startMs: receivedMs, durationMs: applyMs, step };
    if (answeredMs === null) return [apply];
    return [apply, { node: 'host', kind: 'answer', startMs: answeredMs - answerMs, durationMs: answerMs, step }];
  });
  let freeMs = 0;
  return work
    .sort((a, b) => a.startMs - b.startMs)
    .map((span) => {
      const startMs = Math.max(freeMs, span.startMs);
      freeMs = Math.max(startMs, endOf(span));
      return { ...span, startMs, durationMs: freeMs - startMs };
    });
}

const endOf = ({ startMs, durationMs }: PlacedSpan): number => startMs + durationMs;

/** Of one worker, its steps in the order they were received. */
function workerSpans(steps: readonly StepTrace[]): PlacedSpan[] {
  /** When the push before was away. */
  let sentMs = 0;
  return steps.flatMap((step, index) => {
    const [before, after] = [steps[index - 1], steps[index + 1]];
    const isLast = !after || !follows(after, step);
    const { encodeMs, sendMs } = isLast ? { encodeMs: 0, sendMs: 0 } : after.phases;
    const phases = { ...step.phases, encodeMs, sendMs };
    const isFirst = !before || !follows(step, before);
    const spans = isFirst ? firstStep(step, phases, before) : nextStep(step, phases, before, sentMs);
    sentMs = endOf(spans.at(-1) as PlacedSpan);
    const rest: Until[] = [
      ['transfer', step.receivedMs],
      ['wait', answerOf(step)],
    ];
    return isLast ? [...spans, ...upTo(step, sentMs, rest)] : spans;
  });
}

/** The numbers of a worker's pushes count up as long as it stays. */
const follows = (step: StepTrace, before: StepTrace): boolean => step.seq === before.seq + 1;

const answerOf = ({ answeredMs, receivedMs }: StepTrace): number => Math.max(receivedMs, answeredMs ?? receivedMs);

function firstStep(step: StepTrace, phases: Phases, before: StepTrace | undefined): PlacedSpan[] {
  const { receivedMs } = step;
  const guessMs = receivedMs - totalOf(phases) - phases.transferMs;
  const startMs = Math.min(receivedMs, Math.max(before ? answerOf(before) : 0, step.givenMs ?? guessMs));
  return upTo(step, startMs, workUntils(startMs, receivedMs, phases));
}

/** From when the push before was away until this one is. */
function nextStep(step: StepTrace, phases: Phases, before: StepTrace, sentMs: number): PlacedSpan[] {
  const { receivedMs } = step;
  const answeredMs = Math.min(receivedMs, answerOf(before));
  const givenMs = Math.min(receivedMs, step.givenMs ?? answeredMs);
  if (givenMs < answeredMs) return overlappedStep(step, phases, before, sentMs);
  const hasPaused = step.pausedMs > 0;
  const idle = upTo(before, sentMs, [
    ['transfer', before.receivedMs],
    ['wait', hasPaused ? answeredMs : givenMs],
    ['pause', hasPaused ? Math.min(givenMs, answeredMs + step.pausedMs) : givenMs],
    ['wait', givenMs],
  ]);
  return [...idle, ...upTo(step, givenMs, workUntils(givenMs, receivedMs, phases))];
}

/** Computing goes on while the push before is under way; handing in does not begin before its answer is there. */
function overlappedStep(step: StepTrace, phases: Phases, before: StepTrace, sentMs: number): PlacedSpan[] {
  const { receivedMs } = step;
  const computing = { ...phases, encodeMs: 0, sendMs: 0 };
  const handing = { ...phases, decodeMs: 0, computeMs: 0, readMs: 0 };
  const computedMs = Math.min(receivedMs, sentMs + totalOf(computing));
  const answeredMs = Math.min(receivedMs, answerOf(before));
  const freeMs = Math.max(computedMs, answeredMs);
  const handingMs = Math.min(totalOf(handing), receivedMs - freeMs);
  // The answer takes as long as the push that follows it, unless it found the worker computing.
  const handMs = Math.max(computedMs, (answeredMs + receivedMs - handingMs) / 2);
  return [
    ...upTo(step, sentMs, workUntils(sentMs, computedMs, computing)),
    ...upTo(before, computedMs, [
      ['transfer', before.receivedMs],
      ['wait', answeredMs],
    ]),
    ...upTo(step, freeMs, workUntils(handMs, handMs + handingMs, handing)),
  ];
}

const totalOf = ({ decodeMs, computeMs, readMs, encodeMs, sendMs }: Phases): number =>
  decodeMs + computeMs + readMs + encodeMs + sendMs;

/** Something a worker does, and until when. */
type Until = readonly [PlacedKind, number];

/** Work in the middle of a stretch of time, with the way before it. */
function workUntils(fromMs: number, toMs: number, phases: Phases): Until[] {
  const wantedMs = totalOf(phases);
  const workMs = Math.min(wantedMs, toMs - fromMs);
  const startMs = fromMs + (toMs - fromMs - workMs) / 2;
  let doneMs = 0;
  const after = (ms: number): number => {
    doneMs += ms;
    return startMs + (wantedMs === 0 ? 0 : (doneMs / wantedMs) * workMs);
  };
  return [
    ['transfer', startMs],
    ['decode', after(phases.decodeMs)],
    ['compute', after(phases.computeMs)],
    ['read', after(phases.readMs)],
    ['encode', after(phases.encodeMs)],
    ['send', after(phases.sendMs)],
  ];
}

/** Spans of a step, each from the end of the one before it; what ends before it begins has no length. */
function upTo(step: StepTrace, fromMs: number, untils: readonly Until[]): PlacedSpan[] {
  let startMs = fromMs;
  return untils.map(([kind, untilMs]) => {
    const span: PlacedSpan = { node: step.worker, kind, startMs, durationMs: Math.max(0, untilMs - startMs), step };
    startMs = Math.max(startMs, untilMs);
    return span;
  });
}

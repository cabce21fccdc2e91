import type { Phases } from './protocol.ts';
import type { StepTrace, Timeline } from './step-trace.ts';

/** What a worker does in a step, in order; `transfer` comes before and after, `wait` last. */
export const workerSpanKinds = ['wait', 'transfer', 'decode', 'compute', 'read', 'encode', 'send'] as const;
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

const workPhases = [
  ['decode', 'decodeMs'],
  ['compute', 'computeMs'],
  ['read', 'readMs'],
  ['encode', 'encodeMs'],
  ['send', 'sendMs'],
] as const satisfies readonly (readonly [PlacedKind, keyof Phases])[];

/**
 * Lays the steps of a timeline out in time, in the order of their starts.
 *
 * A worker's step takes from the answer to its last push until its push is received: what is not work is the way there
 * and back, half before the work and half after. From there to its answer it waits. If the work began before that answer
 * (with overlap it does) it starts as early as it must, and the wait ends there; beyond the last push it cannot start, and
 * is drawn shorter in proportion. So spans of a worker never overlap, and neither do `apply` and `answer` of the host,
 * whose server is one thread. Spans of no length are left out.
 */
export function placeSteps({ steps, spans }: Timeline): PlacedSpan[] {
  const byArrival = [...steps].sort((a, b) => a.receivedMs - b.receivedMs);
  const workers = [...new Set(steps.map(({ worker }) => worker))];
  const placed = [
    ...hostWork(byArrival),
    ...spans.map(({ kind, startMs, durationMs }) => ({ node: 'host' as const, kind, startMs, durationMs, step: null })),
    ...workers.flatMap((worker) => workerSpans(byArrival.filter((step) => step.worker === worker))),
  ];
  return placed.filter(({ durationMs }) => durationMs > 0).sort((a, b) => a.startMs - b.startMs);
}

function hostWork(steps: readonly StepTrace[]): PlacedSpan[] {
  let freeMs = 0;
  return steps.flatMap((step) => {
    const startMs = Math.max(freeMs, step.receivedMs);
    const appliedMs = startMs + step.applyMs;
    freeMs = appliedMs + step.answerMs;
    return [
      { node: 'host', kind: 'apply', startMs, durationMs: step.applyMs, step },
      { node: 'host', kind: 'answer', startMs: appliedMs, durationMs: step.answerMs, step },
    ] satisfies PlacedSpan[];
  });
}

/** Of one worker, its steps in the order they were received. */
function workerSpans(steps: readonly StepTrace[]): PlacedSpan[] {
  const windows = steps.map((step, index) => stepWindow(step, steps[index - 1]));
  return steps.flatMap((step, index) => {
    const nextStartMs = windows[index + 1]?.startMs ?? Number.POSITIVE_INFINITY;
    const waitEndMs = Math.min(step.answeredMs ?? step.receivedMs, nextStartMs);
    const { receivedMs: startMs } = step;
    const wait: PlacedSpan = { node: step.worker, kind: 'wait', startMs, durationMs: waitEndMs - startMs, step };
    return [...workSpans(step, windows[index] as Window), wait];
  });
}

interface Window {
  readonly startMs: number;
  readonly workMs: number;
  /** Less than 1 where the work takes longer than there was time. */
  readonly scale: number;
}

function stepWindow(step: StepTrace, before: StepTrace | undefined): Window {
  const { phases, receivedMs } = step;
  const wantedMs = workPhases.reduce((sum, [, key]) => sum + phases[key], 0);
  // Of the first step that is known it is not known when it could begin.
  const answeredMs = before ? (before.answeredMs ?? before.receivedMs) : receivedMs - wantedMs - phases.transferMs;
  const earliestMs = Math.min(before?.receivedMs ?? 0, receivedMs);
  const workMs = Math.min(wantedMs, receivedMs - earliestMs);
  const startMs = Math.max(earliestMs, Math.min(answeredMs, receivedMs - workMs));
  return { startMs, workMs, scale: wantedMs === 0 ? 1 : workMs / wantedMs };
}

function workSpans(step: StepTrace, { startMs, workMs, scale }: Window): PlacedSpan[] {
  const node = step.worker;
  const wayMs = Math.max(0, step.receivedMs - startMs - workMs) / 2;
  let at = startMs + wayMs;
  const work = workPhases.map(([kind, key]): PlacedSpan => {
    const durationMs = step.phases[key] * scale;
    const span = { node, kind, startMs: at, durationMs, step };
    at += durationMs;
    return span;
  });
  const there: PlacedSpan = { node, kind: 'transfer', startMs: at, durationMs: step.receivedMs - at, step };
  return [{ node, kind: 'transfer', startMs, durationMs: wayMs, step }, ...work, there];
}

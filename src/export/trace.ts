import {
  hostSpanKinds,
  type PlacedKind,
  type PlacedSpan,
  placeSteps,
  workerSpanKinds,
} from '../observe/placed-steps.ts';
import type { RunReport } from '../observe/run-report.ts';
import type { StepTrace } from '../observe/step-trace.ts';

/** An event of the Trace Event format; times in microseconds. */
type TraceEvent = Readonly<Record<string, unknown>>;

const HOST_PID = 1;
/** Process 0 has a meaning of its own to readers of traces. */
const pidOf = (node: PlacedSpan['node']): number => (node === 'host' ? HOST_PID : HOST_PID + 1 + node);

const titleOf = (kind: PlacedKind): string => (kind === 'read' ? 'read-back' : kind);
/** To Perfetto, threads of one machine have numbers of their own, whatever their process, and a process is its first thread. */
const tidOf = (node: PlacedSpan['node'], kind: PlacedKind): number => {
  const kinds: readonly PlacedKind[] = node === 'host' ? hostSpanKinds : workerSpanKinds;
  return pidOf(node) * 1000 + 1 + kinds.indexOf(kind);
};

/** Whole ones: readers turn fractions into nanoseconds each in its own way, and slices that touch would overlap. */
const micros = (ms: number): number => Math.round(ms * 1000);
const endOf = ({ startMs, durationMs }: PlacedSpan): number => startMs + durationMs;

/**
 * The timeline of a run as a Chrome trace: the host and each worker a process, each thing they do a thread, and arrows
 * from a push to where it was applied and on to the next step of its worker. Null if there is nothing to show.
 */
export function traceOf(report: RunReport): string | null {
  const spans = placeSteps(report.timeline).filter((span) => micros(endOf(span)) > micros(span.startMs));
  if (spans.length === 0) return null;
  const traceEvents = [...names(report, spans), ...spans.map(slice), ...arrows(spans)];
  const { id: run, startedAt, experiment, emulated, machine } = report;
  return `${JSON.stringify({ traceEvents, displayTimeUnit: 'ms', otherData: { run, startedAt, emulated, experiment, machine } })}\n`;
}

function names({ workers }: RunReport, spans: readonly PlacedSpan[]): TraceEvent[] {
  const nameOf = (node: PlacedSpan['node']): string => {
    if (node === 'host') return 'host';
    const name = workers.find(({ worker }) => worker === node)?.name;
    return name === undefined ? `worker ${node}` : `worker ${node} ${name}`;
  };
  return [...new Set(spans.map(({ node }) => node))].flatMap((node) => {
    const pid = pidOf(node);
    const about = (name: string, tid: number, args: object): TraceEvent => ({ name, ph: 'M', pid, tid, args });
    return [
      about('process_name', pid, { name: nameOf(node) }),
      about('process_sort_index', pid, { sort_index: pid }),
      ...(node === 'host' ? hostSpanKinds : workerSpanKinds).flatMap((kind) => [
        about('thread_name', tidOf(node, kind), { name: titleOf(kind) }),
        about('thread_sort_index', tidOf(node, kind), { sort_index: tidOf(node, kind) }),
      ]),
    ];
  });
}

function slice(span: PlacedSpan): TraceEvent {
  const { node, kind, startMs, step } = span;
  const ts = micros(startMs);
  const place = { pid: pidOf(node), tid: tidOf(node, kind), ts, dur: micros(endOf(span)) - ts };
  const event = { name: titleOf(kind), ph: 'X', cat: 'manyhands', ...place };
  if (step === null) return event;
  const { worker, seq, version, examples, staleness, verdict } = step;
  return { ...event, args: { worker, seq, version, examples, staleness, verdict } };
}

/**
 * An arrow binds to the slice that is there at its time, and that comes before it in the file. It leads on to the next step
 * only if that had to wait for the answer.
 */
function arrows(spans: readonly PlacedSpan[]): TraceEvent[] {
  const pushes = new Map<StepTrace, PlacedSpan>();
  const applied = new Map<StepTrace, PlacedSpan>();
  const next = new Map<StepTrace, PlacedSpan>();
  const lastOf = new Map<number, StepTrace>();
  for (const span of spans) {
    const { node, kind, step } = span;
    if (step === null) continue;
    if (kind === 'apply') applied.set(step, span);
    if (node === 'host' || kind === 'wait' || kind === 'pause') continue;
    pushes.set(step, span);
    const last = lastOf.get(node);
    if (last?.seq === step.seq - 1 && span.startMs >= (last.answeredMs ?? 0)) next.set(last, span);
    lastOf.set(node, step);
  }
  return [...pushes].flatMap(([step, push], id) => {
    const apply = applied.get(step);
    if (apply === undefined) return [];
    const after = next.get(step);
    const point = (ph: 's' | 't' | 'f', { node, kind, startMs }: PlacedSpan): TraceEvent => {
      const place = { pid: pidOf(node), tid: tidOf(node, kind), ts: micros(startMs) };
      return { name: 'push', cat: 'manyhands', ph, id, ...place, ...(ph === 'f' && { bp: 'e' }) };
    };
    return after === undefined
      ? [point('s', push), point('f', apply)]
      : [point('s', push), point('t', apply), point('f', after)];
  });
}

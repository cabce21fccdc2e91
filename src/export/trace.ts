import { hostSpanKinds, type PlacedKind, type PlacedSpan, placeSteps, workerSpanKinds } from '../core/placed-steps.ts';
import type { StepTrace } from '../core/step-trace.ts';
import type { RunReport } from './run-report.ts';

/** An event of the Trace Event format; times in microseconds. */
type TraceEvent = {
  readonly name: string;
  readonly ph: 'M' | 'X' | 's' | 't' | 'f';
  readonly pid: number;
  readonly tid: number;
  readonly ts?: number;
  readonly dur?: number;
  readonly cat?: string;
  readonly id?: number;
  readonly bp?: 'e';
  readonly args?: Readonly<Record<string, unknown>>;
};

const HOST_PID = 1;
/** Process 0 has a meaning of its own to readers of traces. */
const pidOf = (node: PlacedSpan['node']): number => (node === 'host' ? HOST_PID : HOST_PID + 1 + node);

const titles: Readonly<Partial<Record<PlacedKind, string>>> = { read: 'read-back' };
const titleOf = (kind: PlacedKind): string => titles[kind] ?? kind;
const tidOf = (kind: PlacedKind): number =>
  1 +
  Math.max(
    (hostSpanKinds as readonly PlacedKind[]).indexOf(kind),
    (workerSpanKinds as readonly PlacedKind[]).indexOf(kind),
  );

/** To the nanosecond, which is as fine as readers go. */
const micros = (ms: number): number => Math.round(ms * 1e6) / 1e3;

/**
 * The timeline of a run as a Chrome trace: the host and each worker a process, each thing they do a thread, and arrows
 * from a push to where it was applied and on to the next step of its worker. Null if there is nothing to show.
 */
export function traceOf(report: RunReport): string | null {
  const spans = placeSteps(report.timeline);
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
    const about = (name: string, tid: number, args: TraceEvent['args']): TraceEvent => ({
      name,
      ph: 'M',
      pid,
      tid,
      args,
    });
    return [
      about('process_name', 0, { name: nameOf(node) }),
      about('process_sort_index', 0, { sort_index: pid }),
      ...(node === 'host' ? hostSpanKinds : workerSpanKinds).flatMap((kind) => [
        about('thread_name', tidOf(kind), { name: titleOf(kind) }),
        about('thread_sort_index', tidOf(kind), { sort_index: tidOf(kind) }),
      ]),
    ];
  });
}

function slice({ node, kind, startMs, durationMs, step }: PlacedSpan): TraceEvent {
  const ts = micros(startMs);
  // Ends are rounded as starts are, so that slices that touch do not overlap.
  const dur = Math.round((micros(startMs + durationMs) - ts) * 1e3) / 1e3;
  const event = {
    name: titleOf(kind),
    ph: 'X',
    cat: 'manyhands',
    pid: pidOf(node),
    tid: tidOf(kind),
    ts,
    dur,
  } as const;
  if (step === null) return event;
  const { worker, seq, version, examples, staleness, verdict } = step;
  return { ...event, args: { worker, seq, version, examples, staleness, verdict } };
}

/** An arrow binds to the slice that is there at its time. */
function arrows(spans: readonly PlacedSpan[]): TraceEvent[] {
  const pushes = new Map<StepTrace, PlacedSpan>();
  const applied = new Map<StepTrace, PlacedSpan>();
  const next = new Map<StepTrace, PlacedSpan>();
  const lastOf = new Map<number, StepTrace>();
  for (const span of spans) {
    const { node, kind, step } = span;
    if (step === null) continue;
    if (kind === 'apply') applied.set(step, span);
    if (node === 'host' || kind === 'wait') continue;
    pushes.set(step, span);
    const last = lastOf.get(node);
    if (last !== undefined && last !== step) next.set(last, span);
    lastOf.set(node, step);
  }
  return [...pushes].flatMap(([step, push], id) => {
    const apply = applied.get(step);
    if (apply === undefined) return [];
    const after = next.get(step);
    const point = (ph: 's' | 't' | 'f', { node, kind, startMs }: PlacedSpan): TraceEvent => {
      const place = { pid: pidOf(node), tid: tidOf(kind), ts: micros(startMs) };
      return { name: 'push', cat: 'manyhands', ph, id, ...place, ...(ph === 'f' && { bp: 'e' as const }) };
    };
    return after === undefined
      ? [point('s', push), point('f', apply)]
      : [point('s', push), point('t', apply), point('f', after)];
  });
}

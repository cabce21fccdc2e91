import type { PlacedSpan } from '../../../observe/placed-steps.ts';
import type { HostSpan, Timeline } from '../../../observe/step-trace.ts';

/** A stretch of time, in milliseconds since the run began. */
export interface TimeView {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What is shown of a timeline while it is followed. */
export type Following = 'second' | 'steps' | 'all';

/** So many steps are few enough to tell apart, and enough to see a rhythm. */
const LAST_STEPS = 20;
/** Closer than this a clock of tenths of milliseconds has nothing to show. */
const SHORTEST_MS = 0.5;

/** From the first start to the last end; null of nothing. */
export function extentOf(placed: readonly PlacedSpan[]): TimeView | null {
  const first = placed[0];
  if (first === undefined) return null;
  const toMs = placed.reduce((last, { startMs, durationMs }) => Math.max(last, startMs + durationMs), 0);
  return { fromMs: first.startMs, toMs: Math.max(toMs, first.startMs + SHORTEST_MS) };
}

/** The newest second, the newest steps, or all that is there. */
export function followedView(placed: readonly PlacedSpan[], following: Following): TimeView | null {
  const extent = extentOf(placed);
  if (extent === null) return null;
  switch (following) {
    case 'second':
      return { fromMs: Math.max(extent.fromMs, extent.toMs - 1000), toMs: extent.toMs };
    case 'steps': {
      const steps = [...new Set(placed.flatMap(({ step }) => (step === null ? [] : [step])))];
      const last = new Set(steps.sort((a, b) => a.receivedMs - b.receivedMs).slice(-LAST_STEPS));
      const own = placed.filter(({ step, node }) => step !== null && last.has(step) && node !== 'host');
      // The last test of a run may be longer than all of them together.
      return extentOf(own) ?? extent;
    }
    case 'all': {
      // Tests are remembered for longer than steps; what was before the first step is there to be panned to.
      const first = placed.find(({ step }) => step !== null);
      return { ...extent, fromMs: first?.startMs ?? extent.fromMs };
    }
    default:
      return following satisfies never;
  }
}

/** A view that lies within what is there; as long as asked, if there is so much. */
function within({ fromMs, toMs }: TimeView, extent: TimeView): TimeView {
  const lengthMs = Math.min(extent.toMs - extent.fromMs, Math.max(SHORTEST_MS, toMs - fromMs));
  const from = Math.min(Math.max(extent.fromMs, fromMs), extent.toMs - lengthMs);
  return { fromMs: from, toMs: from + lengthMs };
}

/** Closer (factor below 1) or further away, with one moment staying where it is. */
export function zoomed(view: TimeView, extent: TimeView, factor: number, aroundMs: number): TimeView {
  const lengthMs = Math.max(SHORTEST_MS, (view.toMs - view.fromMs) * factor);
  const part = (aroundMs - view.fromMs) / (view.toMs - view.fromMs);
  const fromMs = aroundMs - part * lengthMs;
  return within({ fromMs, toMs: fromMs + lengthMs }, extent);
}

/** Moved in time. */
export const panned = ({ fromMs, toMs }: TimeView, extent: TimeView, byMs: number): TimeView =>
  within({ fromMs: fromMs + byMs, toMs: toMs + byMs }, extent);

/** Moved no further than it takes to have a span in sight, or some of it if it is longer than the view. */
export function showing(view: TimeView, extent: TimeView, { startMs, durationMs }: PlacedSpan): TimeView {
  const lengthMs = view.toMs - view.fromMs;
  if (durationMs > lengthMs && startMs < view.toMs && startMs + durationMs > view.fromMs) return view;
  const endMs = startMs + Math.min(durationMs, lengthMs);
  const byMs = startMs < view.fromMs ? startMs - view.fromMs : endMs > view.toMs ? endMs - view.toMs : 0;
  return byMs === 0 ? view : panned(view, extent, byMs);
}

/** Round moments in a view, with so many milliseconds between them that at most `maxTicks` fit. */
export function ticksOf(
  { fromMs, toMs }: TimeView,
  maxTicks: number,
): { readonly stepMs: number; readonly at: number[] } {
  const least = (toMs - fromMs) / Math.max(1, maxTicks);
  const power = 10 ** Math.floor(Math.log10(least));
  const stepMs = [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least * 0.999) ?? power * 10;
  const first = Math.ceil(fromMs / stepMs);
  const count = Math.floor(toMs / stepMs) - first + 1;
  return { stepMs, at: Array.from({ length: Math.max(0, count) }, (_, index) => (first + index) * stepMs) };
}

/** As much of a timeline's end as it takes to show what is followed, so that following costs the same however long it is. */
export function recentPart({ steps, spans }: Timeline, following: Following): Timeline {
  const lastMs = steps.at(-1)?.receivedMs ?? 0;
  switch (following) {
    case 'second': {
      const sinceMs = lastMs - 3000;
      return {
        steps: steps.filter(({ receivedMs }) => receivedMs >= sinceMs),
        spans: spans.filter(endsAfter(sinceMs)),
      };
    }
    case 'steps': {
      // A worker's first step has no known beginning; a few more put that out of sight.
      const recent = steps.slice(-LAST_STEPS * 4);
      return { steps: recent, spans: spans.filter(endsAfter(recent[0]?.receivedMs ?? 0)) };
    }
    case 'all':
      return { steps, spans };
    default:
      return following satisfies never;
  }
}

const endsAfter = (atMs: number) => (span: HostSpan) => span.startMs + span.durationMs >= atMs;

import { expect, test } from 'vitest';
import type { PlacedSpan } from '../../../observe/placed-steps.ts';
import type { StepTrace } from '../../../observe/step-trace.ts';
import { extentOf, followedView, panned, showing, ticksOf, zoomed } from './gantt-view.ts';

const phases = { waitMs: 0, transferMs: 0, decodeMs: 0, computeMs: 0, readMs: 0, encodeMs: 0, sendMs: 0 };
const step = (receivedMs: number): StepTrace => ({
  worker: 0,
  seq: receivedMs,
  version: 0,
  examples: 1,
  givenMs: null,
  pausedMs: 0,
  receivedMs,
  answeredMs: receivedMs,
  applyMs: 0,
  answerMs: 0,
  phases,
  verdict: 'applied',
  staleness: 0,
});
/** A step each 100 ms, 90 ms of them computing. */
const placed: readonly PlacedSpan[] = Array.from({ length: 50 }, (_, index) => ({
  node: 0,
  kind: 'compute',
  startMs: index * 100,
  durationMs: 90,
  step: step(index * 100 + 90),
}));
const extent = { fromMs: 0, toMs: 4990 };

test('what is followed ends with the newest', () => {
  expect(extentOf([])).toBeNull();
  expect(followedView([], 'all')).toBeNull();
  expect(followedView(placed, 'all')).toEqual(extent);
  const early: PlacedSpan = { node: 'host', kind: 'evaluation', startMs: -50, durationMs: 10, step: null };
  expect(followedView([early, ...placed], 'all')).toEqual(extent);
  expect(extentOf([early, ...placed])).toEqual({ fromMs: -50, toMs: 4990 });
  expect(followedView(placed, 'second')).toEqual({ fromMs: 3990, toMs: 4990 });
  expect(followedView(placed, 'steps')).toEqual({ fromMs: 3000, toMs: 4990 });
  const last: PlacedSpan = { ...early, startMs: 4990, durationMs: 9000 };
  expect(followedView([...placed, last], 'steps')).toEqual({ fromMs: 3000, toMs: 4990 });
});

test('zooming keeps the moment under the pointer where it is, and stays within what is there', () => {
  const view = { fromMs: 1000, toMs: 2000 };
  expect(zoomed(view, extent, 0.5, 1200)).toEqual({ fromMs: 1100, toMs: 1600 });
  expect(zoomed(view, extent, 100, 1500)).toEqual(extent);
  const closest = zoomed(view, extent, 1e-9, 1500);
  expect(closest.toMs - closest.fromMs).toBeCloseTo(0.5);
});

test('panning stops at both ends', () => {
  const view = { fromMs: 1000, toMs: 2000 };
  expect(panned(view, extent, 300)).toEqual({ fromMs: 1300, toMs: 2300 });
  expect(panned(view, extent, -5000)).toEqual({ fromMs: 0, toMs: 1000 });
  expect(panned(view, extent, 5000)).toEqual({ fromMs: 3990, toMs: 4990 });
});

test('a span out of sight is brought in, one in sight moves nothing', () => {
  const view = { fromMs: 1000, toMs: 2000 };
  const at = (startMs: number) => placed[startMs / 100] as PlacedSpan;
  expect(showing(view, extent, at(1500))).toBe(view);
  expect(showing(view, extent, at(2000))).toEqual({ fromMs: 1090, toMs: 2090 });
  expect(showing(view, extent, at(300))).toEqual({ fromMs: 300, toMs: 1300 });
  expect(showing(view, extent, { ...at(300), durationMs: 4000 })).toBe(view);
});

test('marks are round and no more than fit', () => {
  expect(ticksOf({ fromMs: 130, toMs: 1130 }, 5)).toEqual({ stepMs: 200, at: [200, 400, 600, 800, 1000] });
  expect(ticksOf({ fromMs: 0, toMs: 1 }, 4).stepMs).toBe(0.5);
});

import { expect, test } from 'vitest';
import type { PlacedKind, PlacedSpan } from '../../../observe/placed-steps.ts';
import type { StepTrace } from '../../../observe/step-trace.ts';
import { columnsOf, type GanttRow, ganttRows, ownersOf, rowMeans, spanAt, spanKinds } from './gantt-rows.ts';

const span = (node: number | 'host', kind: PlacedKind, startMs: number, durationMs: number): PlacedSpan => ({
  node,
  kind,
  startMs,
  durationMs,
  step: null,
});
const phases = { waitMs: 0, transferMs: 0, decodeMs: 0, computeMs: 4, readMs: 0, encodeMs: 0, sendMs: 0 };
const stepOf = (worker: number, seq: number): StepTrace => ({
  worker,
  seq,
  version: seq,
  examples: 1,
  givenMs: null,
  pausedMs: 0,
  receivedMs: 0,
  answeredMs: 1,
  applyMs: 0,
  answerMs: 0,
  phases,
  verdict: 'applied',
  staleness: 0,
});
const rowOf = (...spans: PlacedSpan[]): GanttRow => ({ owner: 0, spans });
const shareOf = (kind: PlacedKind, shares: readonly number[] | undefined) => shares?.[spanKinds.indexOf(kind)];

test('every kind has its place in a stacked column', () => {
  expect([...spanKinds].sort()).toEqual([...new Set(spanKinds)].sort());
  expect(spanKinds).toHaveLength(12);
});

test('the server, what the host does beside it, then workers by number, also who has nothing to show', () => {
  const owners = ownersOf({
    steps: [stepOf(10, 1), stepOf(2, 1), stepOf(10, 2)],
    spans: [{ kind: 'evaluation', startMs: 0, durationMs: 5 }],
  });
  expect(ownersOf({ steps: [stepOf(3, 1)], spans: [] })).toEqual(['server', 3]);
  const rows = ganttRows(
    [span(10, 'compute', 0, 1), span('host', 'evaluation', 0, 5), span('host', 'apply', 2, 1), span(10, 'send', 2, 1)],
    owners,
  );
  expect(rows.map(({ owner, spans }) => [owner, spans.length])).toEqual([
    ['server', 1],
    ['beside', 1],
    [2, 0],
    [10, 2],
  ]);
});

test('the span under the pointer is found, and a short one from near by', () => {
  const row = rowOf(span(0, 'compute', 10, 5), span(0, 'send', 15, 0.1), span(0, 'wait', 30, 10));
  expect(spanAt(row, 12, 0)).toBe(0);
  expect(spanAt(row, 15, 0)).toBe(1);
  expect(spanAt(row, 16, 1)).toBe(1);
  expect(spanAt(row, 29.5, 1)).toBe(2);
  expect(spanAt(row, 20, 1)).toBe(-1);
  expect(spanAt(row, 5, 1)).toBe(-1);
  expect(spanAt(rowOf(), 5, 100)).toBe(-1);
});

test('columns of one kind merge, and a column of several has the part of each', () => {
  const row = rowOf(span(0, 'compute', 0, 50), span(0, 'send', 50, 2.5), span(0, 'transfer', 52.5, 5));
  const columns = columnsOf(row, 0, 100, 10);
  expect(columns.map(({ from, to }) => [from, to])).toEqual([
    [0, 5],
    [5, 6],
  ]);
  expect(shareOf('compute', columns[0]?.shares)).toBe(1);
  expect(shareOf('send', columns[1]?.shares)).toBeCloseTo(0.25);
  expect(shareOf('transfer', columns[1]?.shares)).toBeCloseTo(0.5);
});

test('a view into the middle sees what began before it, and spans beside each other fill no more than a column', () => {
  const row = rowOf(span('host', 'evaluation', 0, 100), span('host', 'checkpoint', 10, 2));
  expect(columnsOf(row, 40, 60, 4).map(({ from, to }) => [from, to])).toEqual([[0, 4]]);
  const [column] = columnsOf(row, 10, 12, 1);
  expect(column?.shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
});

test('means are per step of a worker, and per test beside the server', () => {
  const [first, second] = [stepOf(1, 1), stepOf(1, 2)];
  const [beside, worker] = rowMeans(
    ganttRows(
      [
        { ...span(1, 'compute', 0, 4), step: first },
        { ...span(1, 'compute', 5, 8), step: second },
        { ...span(1, 'send', 13, 1), step: second },
        span('host', 'evaluation', 0, 20),
        span('host', 'evaluation', 30, 10),
        span('host', 'checkpoint', 50, 3),
      ],
      ['beside', 1],
    ),
  );
  expect([worker?.steps, worker?.meanMs.compute, worker?.meanMs.send]).toEqual([2, 6, 0.5]);
  expect([beside?.meanMs.evaluation, beside?.meanMs.checkpoint]).toEqual([15, 3]);
});

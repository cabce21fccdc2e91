import { expect, test } from 'vitest';
import { Queueing } from '../observe/bottleneck/queueing-for-tests.ts';
import { reportOf } from './report-for-tests.ts';
import { traceOf } from './trace.ts';
import { traceFaults } from './trace-rules-for-tests.ts';

interface Event {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur: number;
  readonly id: number;
  readonly args: Readonly<Record<string, unknown>>;
}

const { traceEvents: events } = JSON.parse(traceOf(reportOf()) ?? '') as { traceEvents: Event[] };
const slices = events.filter(({ ph }) => ph === 'X');
const nameOf = (kind: string, { pid, tid }: Event) =>
  events.find((event) => event.name === kind && event.pid === pid && (kind === 'process_name' || event.tid === tid))
    ?.args.name;

test('a reader that goes by the rules of the format finds no fault', () => {
  expect(traceFaults(traceOf(reportOf()) ?? '')).toEqual([]);
});

test.each([1, 2, 3, 4])('nor in the trace of a made-up cluster, seed %i', (seed) => {
  for (const strategy of ['sync', 'async'] as const) {
    const times = {
      ownMs: [9.0371, 12.3333],
      linkMs: [3.2, 0.7],
      applyMs: 0.0004 * seed,
      evaluationMs: 31,
      evalEvery: 10,
    };
    const rest = { jitter: 0.3, maxStaleness: null, isFirstLocal: false, isRest: false };
    const run = new Queueing({ strategy, seed, ...times, ...rest }).run(200);
    const trace = traceOf(reportOf({ timeline: run.timeline })) ?? '';
    expect(traceFaults(trace)).toEqual([]);
    expect(trace.match(/"ph":"s"/g)?.length).toBeGreaterThan(50);
  }
});

test.each<[string, (event: Record<string, unknown>) => Record<string, unknown> | null]>([
  ['sticks out', (event) => (event.name === 'compute' ? { ...event, dur: Number(event.dur) * 100 } : event)],
  ['no whole microsecond', (event) => (event.ph === 'X' ? { ...event, ts: Number(event.ts) + 0.5 } : event)],
  ['is in no slice', (event) => (event.ph === 't' ? { ...event, ts: 1 } : event)],
  ['goes st', (event) => (event.ph === 'f' ? null : event)],
  ['belongs to two processes', (event) => ({ ...event, tid: Number(event.tid) % 1000 })],
  ['has no name', (event) => (event.name === 'process_name' ? null : event)],
  ['next slice', ({ bp: _, ...event }) => event],
])('the reader does find what is wrong: %s', (words, spoil) => {
  const trace = JSON.parse(traceOf(reportOf()) ?? '');
  const traceEvents = trace.traceEvents.map(spoil).filter((event: unknown) => event !== null);
  expect(traceFaults(JSON.stringify({ ...trace, traceEvents })).join('\n')).toContain(words);
});

test('every slice is in a named thread of a named process', () => {
  expect(new Set(slices.map((slice) => nameOf('process_name', slice)))).toEqual(
    new Set(['host', 'worker 1 amber-otter', 'worker 2 amber-otter']),
  );
  for (const slice of slices) expect(nameOf('thread_name', slice)).toBe(slice.name);
});

test('times are in microseconds, and a slice says what became of its step', () => {
  const compute = slices.find(({ name, args }) => name === 'compute' && args.seq === 2);
  // Between the answer at 110 ms and the arrival at 150 ms are 13 ms of work that is known of: 13.5 on either side.
  expect(compute).toMatchObject({
    ts: 124_500,
    dur: 10_000,
    args: { worker: 1, version: 1, staleness: 0, verdict: null },
  });
  expect(slices.find(({ name }) => name === 'evaluation')).toMatchObject({ ts: 245_000, dur: 25_000 });
});

test('an arrow leads from a push to where it was applied and on to the next step of its worker', () => {
  const arrow = events.filter(({ name, id }) => name === 'push' && id === 0);
  const bound = arrow.map(({ ph, pid, tid, ts }) => {
    const slice = slices.find((one) => one.pid === pid && one.tid === tid && one.ts <= ts && ts < one.ts + one.dur);
    return `${ph} ${slice?.name} ${slice?.args.seq} of ${slice && nameOf('process_name', slice)}`;
  });
  expect(bound).toEqual([
    's transfer 1 of worker 1 amber-otter',
    't apply 1 of host',
    'f transfer 2 of worker 1 amber-otter',
  ]);
});

test('without steps there is no trace', () => {
  expect(traceOf(reportOf({ timeline: { steps: [], spans: [] } }))).toBe(null);
});

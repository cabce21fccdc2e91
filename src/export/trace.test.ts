import { expect, test } from 'vitest';
import { reportOf } from './report-for-tests.ts';
import { traceOf } from './trace.ts';

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

test('every slice is in a named thread of a named process', () => {
  expect(new Set(slices.map((slice) => nameOf('process_name', slice)))).toEqual(
    new Set(['host', 'worker 1 amber-otter', 'worker 2 amber-otter']),
  );
  for (const slice of slices) expect(nameOf('thread_name', slice)).toBe(slice.name);
});

test('times are in microseconds, and a slice says what became of its step', () => {
  const compute = slices.find(({ name, args }) => name === 'compute' && args.seq === 2);
  // Between the answer at 110 ms and the arrival at 150 ms are 20 ms of work: ten on either side.
  expect(compute).toMatchObject({
    ts: 121_000,
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

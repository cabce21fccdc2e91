import { expect, test } from 'vitest';
import { noCounters, type RunState } from '../core/server/progress.ts';
import { defaultExperiment } from '../experiment/experiment.ts';
import { reportOf, workerReport } from '../export/report-for-tests.ts';
import type { Host, HostState } from './state.ts';
import { type HostView, poll, settledReport, unlessAborted, until, watchHost, watchRun } from './watch-run.ts';

const run: RunState = {
  id: 'a',
  run: 1,
  experiment: defaultExperiment,
  phase: 'running',
  stopReason: null,
  version: 5,
  examples: 500,
  elapsedMs: 1000,
  startedAtMs: 0,
  leftMs: null,
  counters: noCounters,
};

/** A host whose state is put there by the test. */
function rig() {
  const listeners = new Set<() => void>();
  const host = {
    state: { run: null, note: null, workers: [] } as unknown as HostState,
    log: null,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as { -readonly [Key in keyof Host]: Host[Key] };
  const put = (change: Partial<HostState>) => {
    host.state = { ...host.state, ...change };
    for (const listener of [...listeners]) listener();
  };
  return { host, watch: watchHost(host), put, listeners };
}

const stepsOf = ({ state }: HostView) => state.run?.version ?? null;

test('what is so already is found at once, and what becomes so with the change that makes it so', async () => {
  const { watch, put, listeners } = rig();
  const found = until(watch, stepsOf);
  put({ run });
  // Gone again before anybody could look a second time.
  put({ run: null });
  expect(await found).toBe(5);
  put({ run });
  expect(await until(watch, stepsOf)).toBe(5);
  expect(listeners.size).toBe(0);
});

test('a wait ends when its time is up, when it is aborted, and when looking fails', async () => {
  const { watch, put, listeners } = rig();
  expect(await until(watch, stepsOf, { timeoutMs: 1 })).toBe('timed-out');
  const interrupt = new AbortController();
  const waiting = until(watch, stepsOf, { signal: interrupt.signal, timeoutMs: 1e12 });
  interrupt.abort();
  expect(await waiting).toBe('aborted');
  expect(await until(watch, stepsOf, { signal: interrupt.signal })).toBe('aborted');
  const failing = until(watch, () => {
    throw new Error('no such thing');
  });
  await expect(failing).rejects.toThrow('no such thing');
  await expect(
    until(
      poll(() => Promise.reject(new Error('the page is gone'))),
      stepsOf,
    ),
  ).rejects.toThrow('is gone');
  put({ run });
  expect(listeners.size).toBe(0);
});

test('what is behind a page is asked until it answers what is looked for, and never again', async () => {
  let asked = 0;
  const found = await until(
    poll(async () => ++asked, 1),
    (count) => (count === 3 ? count : null),
  );
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect([found, asked]).toEqual([3, 3]);
});

test('a run is watched from before it begins to its end', async () => {
  const { watch, put } = rig();
  put({ run: { ...run, id: 'before', phase: 'finished' } });
  const seen: (string | null)[] = [];
  const outcome = watchRun(watch, { before: 'before', onProgress: (_, now) => seen.push(now?.phase ?? null) });
  put({ run: null });
  put({ run: { ...run, phase: 'waiting' } });
  put({ run });
  put({ run: { ...run, phase: 'finished', stopReason: 'steps' } });
  expect(await outcome).toMatchObject({ kind: 'finished', run: { id: 'a', stopReason: 'steps' } });
  expect(seen).toEqual([null, null, 'waiting', 'running']);
});

test('a run that does not finish says why', async () => {
  const { watch, put } = rig();
  const watching = (change: Partial<HostState>) => {
    put({ run, note: null });
    const outcome = watchRun(watch, {
      giveUp: ({ state: { note } }) => (note?.kind === 'broken' ? note.text : null),
    });
    put(change);
    return outcome;
  };
  expect(await watching({ run: { ...run, phase: 'failed', stopReason: 'diverged' } })).toMatchObject({
    kind: 'failed',
    run: { stopReason: 'diverged' },
  });
  expect(await watching({ run: null })).toEqual({ kind: 'stopped' });
  expect(await watching({ note: { kind: 'broken', text: 'a thread is gone' } })).toEqual({
    kind: 'given-up',
    why: 'a thread is gone',
  });
  put({ run, note: null });
  expect(await watchRun(watch, { timeoutMs: 1 })).toEqual({ kind: 'timed-out', run });
  expect(await watchRun(watch, { signal: AbortSignal.abort() })).toEqual({ kind: 'aborted', run: null });
});

test('a report waits for the last evaluation and for the transports to count the last push', async () => {
  const finished = reportOf({ phase: 'finished' });
  const step = finished.series.test.at(-1)?.step ?? expect.fail();
  const early = { ...finished, steps: step + 1 };
  const counted = (unaccountedBytes: number | null) =>
    ({
      ...finished,
      steps: step,
      workers: [workerReport({ transport: unaccountedBytes === null ? null : ({ unaccountedBytes } as never) })],
    }) as const;
  const reports = [null, early, counted(null), counted(-5), counted(0), counted(7)];
  const report = await settledReport(
    poll(async () => reports.shift() ?? null, 1),
    (seen) => seen,
  );
  expect(report).toMatchObject({ steps: step, workers: [{ transport: { unaccountedBytes: 0 } }] });
});

test('work that takes too long is not waited for', async () => {
  const interrupt = new AbortController();
  expect(await unlessAborted(Promise.resolve(1), interrupt.signal)).toBe(1);
  await expect(unlessAborted(Promise.reject(new Error('broke')), interrupt.signal)).rejects.toThrow('broke');
  const slow = unlessAborted(new Promise(() => {}), interrupt.signal);
  interrupt.abort();
  expect(await slow).toBeNull();
});

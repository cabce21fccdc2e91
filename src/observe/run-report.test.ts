import { expect, test } from 'vitest';
import type { CountedWorker, RunState } from '../core/server/progress.ts';
import { TallyCounter } from '../core/wire/traffic.ts';
import { defaultExperiment } from '../experiment/experiment.ts';
import { summaryTable } from '../export/summary-table.ts';
import { runReport } from './run-report.ts';

const run: RunState = {
  id: 'r1',
  run: 1,
  experiment: { ...defaultExperiment, strategy: 'async', untilLoss: 0.35 },
  phase: 'finished',
  stopReason: 'loss',
  version: 1240,
  examples: 124_000,
  elapsedMs: 31_000,
  startedAtMs: Date.UTC(2026, 0, 2, 3, 4, 5),
  leftMs: null,
  counters: {
    updates: 1240,
    dropped: 0,
    applied: 1240,
    stale: 10,
    rejected: 2,
    clipped: 0,
    lost: 0,
    leasesReturned: 1,
    evaluations: 13,
    evaluationHoldMs: 200,
    busyMs: 55,
  },
};

function worker(changes: Partial<CountedWorker>): CountedWorker {
  const sent = new TallyCounter();
  const received = new TallyCounter();
  sent.add('parameters', 31_400);
  sent.add('control', 100);
  received.add('gradients', 31_500);
  return {
    worker: 1,
    name: 'amber-otter',
    isLocal: false,
    device: 'Chromium on Linux',
    backend: 'wasm',
    why: 'asked for',
    phase: 'ready',
    trouble: null,
    applied: 8,
    stale: 2,
    rejected: 1,
    examples: 800,
    phases: { waitMs: 100, transferMs: 10, decodeMs: 5, computeMs: 300, readMs: 5, encodeMs: 5, sendMs: 75 },
    stalenessSum: 15,
    stalenessMax: 4,
    peerBytes: 0,
    lastLoss: 0.4,
    examplesPerSecond: 0,
    traffic: { sent: sent.counts, received: received.counts },
    transport: null,
    ...changes,
  };
}

const curves = {
  train: [{ step: 1, elapsedMs: 10, wallMs: 20, loss: 2.3 }],
  test: [
    {
      step: 100,
      elapsedMs: 2000,
      wallMs: 2100,
      loss: 0.6,
      examples: 10_000,
      accuracy: 0.85,
      precisions: [],
      auc: null,
    },
    {
      step: 1240,
      elapsedMs: 31_000,
      wallMs: 31_100,
      loss: 0.3456,
      examples: 124_000,
      accuracy: 0.9123,
      precisions: [],
      auc: null,
    },
  ],
};

const unseen = { workerCurves: [], resources: [], timeline: { steps: [], spans: [] }, profile: null };

const reportOf = (workers: readonly CountedWorker[], changes: Partial<RunState> = {}) =>
  runReport({ run: { ...run, ...changes }, workers }, { ...curves, ...unseen }, { cores: 2 });

test('a report gives the last look at the test set and the series behind it', () => {
  const report = reportOf([]);
  expect(report).toMatchObject({ testLoss: 0.3456, testAccuracy: 0.9123, steps: 1240, wallSeconds: 31 });
  expect(report.series).toEqual(curves);
  expect(report.stopReason).toBe('loss');
});

test('a report is plain JSON: nothing is lost by writing and reading it', () => {
  const report = reportOf([worker({})]);
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
});

test('bytes are named from the worker: what the host received went up', () => {
  const [row] = reportOf([worker({})]).workers;
  expect(row?.bytesUp).toEqual({ control: 0, parameters: 0, gradients: 31_500, data: 0, total: 31_500 });
  expect(row?.bytesDown).toEqual({ control: 100, parameters: 31_400, gradients: 0, data: 0, total: 31_500 });
});

test('a report says how many bytes of the transport nobody counted', () => {
  const wire = { wireBytesSent: null, wireBytesReceived: null };
  const counts = { messagesSent: 2, messagesReceived: 1, bytesSent: 31_507, bytesReceived: 31_500, roundTripMs: 1 };
  const transport = { ...counts, ...wire };
  expect(reportOf([worker({ transport })]).workers[0]?.transport).toEqual({ ...transport, unaccountedBytes: 7 });
});

test('staleness is averaged over pushes that were considered, and is 0 when there were none', () => {
  const none = worker({ applied: 0, stale: 0, rejected: 3, stalenessSum: 0, stalenessMax: 0 });
  const [some, empty] = reportOf([worker({}), none]).workers;
  expect(some).toMatchObject({ steps: 11, staleness: { mean: 1.875, max: 4 } });
  expect(empty).toMatchObject({ steps: 3, staleness: { mean: 0, max: 0 } });
});

test('the summary names why it ended, what it reached and each worker', () => {
  const text = summaryTable(reportOf([worker({}), worker({ worker: 2, name: 'teal-wren' })]));
  expect(text).toContain('the test loss was reached');
  expect(text).toContain('test loss 0.3456, accuracy 91.23 %');
  expect(text).toContain('124,000 (4,000/s)');
  expect(text).toMatch(/amber-otter +wasm +11 +2 +800 +60 % +20 % +2 % +18 % +1\.88 \(max 4\) +31\.5 kB/);
  expect(text).toContain('teal-wren');
});

test('a report keeps the best look at the test set when the last is worse, and the summary shows both', () => {
  const worse = {
    step: 1300,
    elapsedMs: 32_000,
    wallMs: 0,
    loss: 0.41,
    examples: 130_000,
    accuracy: 0.88,
    precisions: [],
    auc: null,
  };
  const report = runReport({ run, workers: [] }, { ...curves, ...unseen, test: [...curves.test, worse] }, {});
  expect(report).toMatchObject({ testLoss: 0.41, best: { step: 1240, loss: 0.3456 } });
  expect(summaryTable(report)).toMatch(/test loss 0\.4100.* best: test loss 0\.3456, accuracy 91\.23 % at step 1,240/);
});

test('the summary of a run that was never tested says so instead of inventing numbers', () => {
  const report = runReport(
    { run: { ...run, phase: 'failed', stopReason: null }, workers: [] },
    { train: [], test: [], ...unseen },
    {},
  );
  expect(summaryTable(report)).toContain('never tested');
  expect(summaryTable(report)).toContain('not ended (failed)');
});

test('made-up conditions are in the report and on top of the summary', () => {
  const experiment = { ...run.experiment, emulate: '4:slow=10' };
  const report = reportOf([worker({})], { experiment });
  expect(report.emulated).toBe('worker 4: 10 times slower');
  expect(summaryTable(report)).toMatch(/^emulated +worker 4: 10 times slower$/m);
  expect(summaryTable(reportOf([worker({})]))).not.toContain('emulated');
});

test('bytes between workers have a column, and rare counts a word, only where there are any', () => {
  const plain = summaryTable(reportOf([worker({})]));
  expect(plain).not.toContain('to others');
  expect(plain).not.toContain('clipped');
  const counters = { ...run.counters, clipped: 3, lost: 2 };
  const text = summaryTable(reportOf([worker({ peerBytes: 5_200_000 })], { counters }));
  expect(text).toMatch(/ to others$/m);
  expect(text).toMatch(/ 5\.2 MB$/m);
  expect(text).toContain('3 clipped, 2 updates lost');
});

import { noCounters } from '../core/server/progress.ts';
import { type Kind, kinds } from '../core/wire/protocol.ts';
import { noSample } from '../core/wire/resources.ts';
import { defaultExperiment } from '../experiment/experiment.ts';
import { bottleneckOf } from '../observe/bottleneck/bottleneck.ts';
import type { RunFacts } from '../observe/bottleneck/shares.ts';
import type { Bytes, RunReport, WorkerReport } from '../observe/run-report.ts';
import type { StepTrace } from '../observe/step-trace.ts';

export const startedAtMs = Date.UTC(2026, 0, 2, 3, 4, 5);

/** So many bytes in all, most of them gradients. */
const bytes = (total: number): Bytes => {
  const none = Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<Kind, number>;
  return { ...none, gradients: total * 0.9, control: total * 0.1, total };
};

/** A worker with two points of its own curve. */
export const workerReport = (changes: Partial<WorkerReport>): WorkerReport => ({
  worker: 1,
  name: 'amber-otter',
  isLocal: false,
  backend: 'wasm',
  why: 'asked for',
  device: 'Chromium on Linux',
  phase: 'ready',
  trouble: null,
  steps: 2,
  applied: 2,
  stale: 0,
  rejected: 0,
  examples: 200,
  phases: { waitMs: 1, transferMs: 2, decodeMs: 3, computeMs: 4, readMs: 5, encodeMs: 6, sendMs: 7 },
  staleness: { mean: 0.5, max: 1 },
  bytesUp: bytes(1000),
  bytesDown: bytes(10_000),
  bytesToPeers: 0,
  transport: null,
  curve: [
    { step: 1, elapsedMs: 100, wallMs: startedAtMs + 150, loss: 2.25, accuracy: 0.125 },
    { step: 2, elapsedMs: 200, wallMs: startedAtMs + 250, loss: 2, accuracy: null },
  ],
  ...changes,
});

export const stepTrace = (changes: Partial<StepTrace>): StepTrace => ({
  worker: 1,
  seq: 1,
  version: 0,
  examples: 100,
  givenMs: null,
  pausedMs: 0,
  receivedMs: 100,
  answeredMs: 110,
  applyMs: 2,
  answerMs: 1,
  phases: { waitMs: 0, transferMs: 4, decodeMs: 1, computeMs: 10, readMs: 2, encodeMs: 3, sendMs: 4 },
  verdict: 'applied',
  staleness: 0,
  ...changes,
});

/** A short run of two workers of the same name, with a little of everything. */
export function reportOf(changes: Partial<RunReport> = {}): RunReport {
  const facts = factsOf(changes);
  return { ...facts, bottleneck: bottleneckOf(facts) };
}

const factsOf = (changes: Partial<RunReport>): RunFacts => ({
  format: 'manyhands-run/2',
  id: '17-4',
  experiment: { ...defaultExperiment, workers: 2, untilLoss: 0.35, epochs: null },
  emulated: null,
  phase: 'finished',
  stopReason: 'loss',
  steps: 2,
  examples: 400,
  wallSeconds: 0.25,
  startedAt: new Date(startedAtMs).toISOString(),
  testLoss: 0.34,
  testAccuracy: 0.9,
  best: null,
  workers: [workerReport({}), workerReport({ worker: 2, curve: [] })],
  server: noCounters,
  machine: { cores: 2 },
  series: {
    train: [
      { step: 1, elapsedMs: 90, wallMs: startedAtMs + 140, loss: 2.3 },
      { step: 2, elapsedMs: 190, wallMs: startedAtMs + 240, loss: 2.1 },
    ],
    test: [
      {
        step: 2,
        elapsedMs: 220,
        wallMs: startedAtMs + 270,
        loss: 0.34,
        examples: 400,
        accuracy: 0.9,
        precisions: [0.8, 1],
        auc: 0.75,
      },
    ],
  },
  resources: [
    {
      node: 'worker 1',
      worker: 1,
      source: 'tab',
      samples: [{ ...noSample, atMs: 200, busy: 0.5, memoryBytes: 4096, pressure: 'serious' }],
    },
    { node: 'worker 1', worker: 1, source: 'process', samples: [{ ...noSample, atMs: 120, cpu: 1.5 }] },
    { node: 'machine', worker: null, source: 'machine', samples: [{ ...noSample, atMs: 260, cpu: 2 }] },
  ],
  timeline: {
    steps: [
      stepTrace({}),
      stepTrace({ worker: 2, receivedMs: 105 }),
      stepTrace({ seq: 2, version: 1, receivedMs: 150, answeredMs: null, verdict: null }),
    ],
    spans: [{ kind: 'evaluation', startMs: 245, durationMs: 25 }],
  },
  profile: {
    backend: 'wasm',
    batch: 100,
    operators: [{ name: 'MatMul, fused', outputShape: [100, 10], outputBytes: 4000, ms: 1.5 }],
    stepMs: 2,
  },
  ...changes,
});

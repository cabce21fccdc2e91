import { type Rng, rng } from '../core/math/rng.ts';
import type { CountedWorker } from '../core/server/progress.ts';
import { noCounters, type TestPoint, type WorkerPoint } from '../core/server/progress.ts';
import { type NodeResources, noSample, type TimedSample } from '../core/wire/resources.ts';
import { TallyCounter } from '../core/wire/traffic.ts';
import { defaultExperiment, type Experiment } from '../experiment/experiment.ts';
import type { Bottleneck } from '../observe/bottleneck/bottleneck.ts';
import { type RunReport, runReport } from '../observe/run-report.ts';
import type { StepProfile } from '../observe/step-trace.ts';
import { workersOf } from './summary.ts';
import type { Sweep, SweepRun } from './sweep.ts';
import type { SweepOutcome, SweepResult } from './sweep-result.ts';

interface SweepForTests {
  readonly seed: number;
  readonly repeats?: number;
  /** Instead of sync and async on 1, 2 and 3 workers beside single. */
  readonly cases?: readonly Partial<Experiment>[];
  readonly base?: Partial<Experiment>;
  /** Put into every place that people fill in. */
  readonly name?: string;
}

const START_MS = Date.UTC(2026, 9, 12, 9, 30, 0);
const STEP_BYTES = 31_400;

const usualCases: readonly Partial<Experiment>[] = [
  { strategy: 'single' },
  ...(['sync', 'async'] as const).flatMap((strategy) => [1, 2, 3].map((workers) => ({ strategy, workers }))),
];

/** A sweep as it might have been: softmax to a test loss, one run failed, one still to come, the same for the same seed. */
export function sweepForTests(options: SweepForTests): SweepResult {
  const { seed, repeats = 3, cases = usualCases, name = null } = options;
  const base: Partial<Experiment> = { untilLoss: 0.35, epochs: null, evalEvery: 50, ...options.base };
  const sweep: Sweep = {
    name: 'mnist-softmax-cluster',
    title: name ?? 'Softmax regression on MNIST: one tab, or several?',
    about:
      name ??
      'Does adding workers shorten the time to a test loss of 0.35, and do sync and async differ in what they cost?',
    base,
    cases,
    vary: {},
    repeats,
    hostTrains: true,
    references: [
      { where: { strategy: 'single' }, measure: 'seconds', value: '13.7–14.0', source: name ?? 'Course report A' },
      {
        where: { strategy: 'async', workers: 2 },
        measure: 'seconds',
        value: '31–38',
        source: name ?? 'Course report A',
      },
      {
        where: { strategy: 'async', workers: 3 },
        measure: 'seconds',
        value: '10.8–36.8',
        source: name ?? 'Course report A',
      },
      {
        where: { strategy: 'sync', workers: 2 },
        measure: 'seconds',
        value: '34–113',
        source: name ?? 'Course report A',
      },
      {
        where: { strategy: 'sync', workers: 3 },
        measure: 'seconds',
        value: '38–123',
        source: name ?? 'Course report A',
      },
      { where: { strategy: 'single' }, measure: 'accuracy', value: '91.8 %', source: name ?? 'Course report B' },
      {
        where: { strategy: 'sync', workers: 3 },
        measure: 'accuracy',
        value: '91.74 %',
        source: name ?? 'Course report B',
      },
    ],
  };
  const runs = cases.flatMap((setting) =>
    Array.from({ length: repeats }, (_, index) => sweepRun({ ...base, ...setting }, index + 1, name)),
  );
  const numbered = runs.map((run, at) => ({ ...run, key: `${String(at + 1).padStart(2, '0')}-${run.key}` }));
  const last = numbered.at(-1) as SweepRun;
  const outcomes = numbered.slice(0, -1).map((run, at): SweepOutcome => {
    const isFailed = at === repeats * 4 - 1;
    const failure = isFailed ? (name ?? 'worker 2 was gone for 30 s: its tab had been closed') : null;
    return { ...run, report: isFailed ? null : fakeReport(run, rng(seed, run.key), name), failure };
  });
  return {
    sweep,
    isQuick: true,
    command: name ?? 'npm run lab -- mnist-softmax-cluster --quick --out runs/cluster',
    machine: {
      manyhands: '0.1.0',
      browser: name ?? 'Chromium 141',
      system: 'Linux 6.1',
      cores: 8,
      memoryGB: 16,
      gpu: null,
    },
    startedAt: new Date(START_MS).toISOString(),
    outcomes,
    missing: [last],
  };
}

function sweepRun(fields: Partial<Experiment>, repeat: number, name: string | null): SweepRun {
  const experiment = { ...defaultExperiment, ...fields, seed: 7 + repeat - 1 };
  const { strategy, workers, batch } = experiment;
  const mode = strategy === 'single' ? 'single' : `${strategy} × ${workers}`;
  const label = batch === 100 ? mode : `${mode}, batch ${batch}`;
  return { key: `${label.replace(/[^a-z0-9]+/g, '-')}-r${repeat}`, label: label + (name ?? ''), repeat, experiment };
}

function fakeReport({ experiment, repeat, key }: SweepRun, random: Rng, name: string | null): RunReport {
  const workers = workersOf(experiment);
  const isAsync = experiment.strategy === 'async';
  const seconds = (13.8 / workers ** 0.7) * (isAsync ? 0.92 : 1) * (1 + random.normal() * 0.03);
  const steps = Math.round(isAsync ? 1400 : 1400 / workers);
  const startedAtMs = START_MS + repeat * 60_000;
  const test = testCurve(steps, seconds, experiment.evalEvery, random, startedAtMs);
  const pace = Array.from({ length: workers }, (_, worker) => (isAsync && worker === 0 ? 1.8 : 1));
  const whole = pace.reduce((sum, share) => sum + share, 0);
  const rows = pace.map((share, worker): CountedWorker => {
    const own = isAsync ? Math.round((steps * share) / whole) : steps;
    return countedWorker(worker, own, own * experiment.batch, seconds, name);
  });
  const examples = rows.reduce((sum, row) => sum + row.examples, 0);
  const elapsedMs = seconds * 1000;
  const run = {
    id: key,
    run: 1,
    experiment,
    phase: 'finished',
    stopReason: experiment.untilLoss === null ? 'epochs' : 'loss',
    version: steps,
    examples,
    elapsedMs,
    startedAtMs,
    leftMs: null,
    counters: { ...noCounters, updates: steps, applied: steps, evaluations: test.length, busyMs: elapsedMs / 9 },
  } as const;
  const recorded = {
    train: test.map(({ step, elapsedMs, wallMs, loss }) => ({ step, elapsedMs, wallMs, loss: loss * 1.05 })),
    test,
    workerCurves: rows.map(({ worker }) => ({ worker, points: workerCurve(test, random) })),
    resources: resources(workers, seconds, random),
    timeline: { steps: [], spans: [] },
    profile: experiment.strategy === 'single' && repeat === 1 ? profile : null,
  };
  return { ...runReport({ run, workers: rows }, recorded, {}), bottleneck: fakeBottleneck(workers) };
}

function testCurve(steps: number, seconds: number, evalEvery: number, random: Rng, startedAtMs: number): TestPoint[] {
  const looks = Math.floor(steps / evalEvery);
  return Array.from({ length: looks }, (_, look) => {
    const done = (look + 1) / looks;
    const loss =
      0.34 + 1.9 * Math.exp(-7 * done) + (1 - done) * (0.09 + random.normal() * 0.008) + random.normal() * 0.002;
    const wallMs = startedAtMs + done * seconds * 1000;
    const step = (look + 1) * evalEvery;
    const accuracy = Math.min(1, 0.92 - (loss - 0.33) * 0.28 + random.normal() * 0.0006);
    const elapsedMs = done * seconds * 1000;
    return { step, elapsedMs, wallMs, loss, examples: step * 100, accuracy, precisions: [], auc: null };
  });
}

function workerCurve(test: readonly TestPoint[], random: Rng): WorkerPoint[] {
  return test.map(({ step, elapsedMs, wallMs, loss, accuracy }) => ({
    step,
    elapsedMs,
    wallMs,
    loss: loss * (1 + random.normal() * 0.05),
    accuracy: Math.min(1, accuracy + random.normal() * 0.012),
  }));
}

function countedWorker(
  worker: number,
  steps: number,
  examples: number,
  seconds: number,
  name: string | null,
): CountedWorker {
  const [sent, received] = [new TallyCounter(), new TallyCounter()];
  sent.add('parameters', steps * STEP_BYTES);
  sent.add('control', steps * 190);
  received.add('gradients', steps * STEP_BYTES);
  received.add('control', steps * 210);
  const down = steps * (STEP_BYTES + 190);
  const up = steps * (STEP_BYTES + 210);
  const ms = seconds * 1000;
  return {
    worker,
    name: name ?? ['amber-otter', 'brisk-heron', 'calm-lynx'][worker] ?? `tab-${worker}`,
    isLocal: worker === 0,
    device: name ?? 'Chromium on Linux',
    backend: 'wasm',
    why: 'no GPU',
    phase: 'ready',
    trouble: null,
    applied: steps,
    stale: 0,
    rejected: 0,
    examples,
    phases: {
      waitMs: ms * 0.08 * worker,
      transferMs: ms * 0.12,
      decodeMs: ms * 0.01,
      computeMs: ms * 0.62,
      readMs: ms * 0.02,
      encodeMs: ms * 0.01,
      sendMs: ms * 0.01,
    },
    stalenessSum: 0,
    stalenessMax: 0,
    peerBytes: 0,
    lastLoss: 0.34,
    examplesPerSecond: examples / seconds,
    traffic: { sent: sent.counts, received: received.counts },
    transport:
      worker === 0
        ? null
        : {
            messagesSent: steps,
            messagesReceived: steps,
            bytesSent: down,
            bytesReceived: up,
            wireBytesSent: Math.round(down * 1.06),
            wireBytesReceived: Math.round(up * 1.07),
            roundTripMs: 0.4,
          },
  };
}

function resources(workers: number, seconds: number, random: Rng): NodeResources[] {
  const count = Math.max(4, Math.floor(seconds * 2));
  const samples = (cpu: number | null, memoryMB: number, rate: number, isTab: boolean): TimedSample[] =>
    Array.from({ length: count }, (_, at) => {
      const atMs = ((at + 1) * seconds * 1000) / count;
      const bytes = Math.round((atMs / 1000) * rate * 1e6);
      const busy = Math.min(1, 0.62 + random.normal() * 0.05);
      return {
        ...noSample,
        atMs,
        busy: isTab ? busy : null,
        cpu: cpu === null ? null : Math.max(0, cpu + random.normal() * 0.06),
        memoryBytes: Math.round((memoryMB + Math.sqrt(at) * 9) * 1e6),
        sentBytes: bytes,
        receivedBytes: Math.round(bytes * 1.02),
        readBytes: isTab ? null : 4_000_000 + at * 4096,
        writtenBytes: isTab ? null : at * 120_000,
        storageBytes: isTab ? 11_000_000 : null,
      };
    });
  const rate = 2.9;
  return [
    {
      node: 'host',
      worker: null,
      source: 'process',
      samples: samples(0.35 + workers * 0.15, 180, rate * workers, false),
    },
    ...Array.from({ length: workers }, (_, worker) => [
      { node: `worker ${worker}`, worker, source: 'tab', samples: samples(null, 90, rate, true) } as const,
      { node: `worker ${worker}`, worker, source: 'process', samples: samples(0.78, 240, rate, false) } as const,
    ]).flat(),
    { node: 'machine', worker: null, source: 'machine', samples: samples(0.6 + workers * 0.9, 3100, 0, false) },
  ];
}

function fakeBottleneck(workers: number): Bottleneck {
  const isWaiting = workers === 3;
  return {
    bound: isWaiting ? 'stragglers' : 'compute',
    shares: { compute: 0.62, network: 0.12, server: 0.06, stragglers: 0.08 * workers, staleness: 0, evaluation: 0.02 },
    sentence: isWaiting
      ? 'Bound by stragglers: workers spent 24 % of their time waiting for the slowest.'
      : 'Bound by compute: workers spent 62 % of their time computing.',
    because: [
      `Computing took 62 % of the time of ${workers} worker${workers === 1 ? '' : 's'}.`,
      'The network took 12 %, the server 6 %.',
    ],
    tryThis: isWaiting
      ? [{ text: 'One backup worker.', change: { backup: 1 }, flags: '--backup 1' }]
      : [{ text: 'More workers.', change: null, flags: null }],
  };
}

const profile: StepProfile = {
  backend: 'wasm',
  batch: 100,
  operators: [
    { name: 'matMul', outputShape: [100, 10], outputBytes: 4000, ms: 0.92 },
    { name: 'add', outputShape: [100, 10], outputBytes: 4000, ms: 0.05 },
    { name: 'softmaxCrossEntropy', outputShape: [100, 10], outputBytes: 4000, ms: 0.11 },
    { name: 'matMul gradient to weights', outputShape: [784, 10], outputBytes: 31_360, ms: 1.31 },
    { name: 'sum', outputShape: [10], outputBytes: 40, ms: 0.03 },
  ],
  stepMs: 2.3,
};

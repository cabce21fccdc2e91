import { resolveExperiment } from '../src/models/plan.ts';
import type { RunReport } from '../src/observe/run-report.ts';
import { defaultScenario, type Scenario } from '../src/simulate/scenario.ts';
import { Simulation } from '../src/simulate/simulation.ts';
import { pushesOf, realRun } from './real-run.ts';

export const name = 'simulate';
export const describe =
  'what the simulator predicts ÷ a real run of the same shape: softmax on mnist, two tabs, 20 ms and 20 Mbit/s emulated';

const TABS = 2;
const emulated = (latencyMs: number, mbps: number) => `*:latency=${latencyMs},mbps=${mbps}`;
const LATENCY_MS = 20;
const MBPS = 20;
const BATCH = 500;
const STEPS = 300;

/** What both worlds are compared by. */
interface Figures {
  readonly updatesPerSecond: number;
  readonly upBytesPerPush: number;
  readonly downBytesPerPush: number;
  readonly idleShare: number;
}

/** A worker's own work in all its steps. */
const busyMs = ({ phases }: RunReport['workers'][number]): number =>
  phases.computeMs + phases.readMs + phases.decodeMs + phases.encodeMs + phases.sendMs;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function measured(report: RunReport): Figures {
  const pushes = pushesOf(report);
  return {
    updatesPerSecond: report.steps / report.wallSeconds,
    upBytesPerPush: sum(report.workers.map(({ bytesUp }) => bytesUp.total)) / pushes,
    downBytesPerPush: sum(report.workers.map(({ bytesDown }) => bytesDown.total)) / pushes,
    idleShare: 1 - sum(report.workers.map(busyMs)) / (report.workers.length * 1000 * report.wallSeconds),
  };
}

/**
 * The real run's machines and links as a scenario: how long a step and a push took is measured, the rest was asked for.
 * `hopMs` is what a message takes beside that, from thread to thread and through the browser.
 */
function scenarioOf(report: RunReport, hopMs: number): Scenario {
  const pushes = pushesOf(report);
  const { schema } = resolveExperiment(report.experiment);
  return {
    ...defaultScenario,
    workers: report.workers.length,
    latency: LATENCY_MS + hopMs,
    bandwidth: MBPS,
    hostBandwidth: 1e6,
    compute: sum(report.workers.map(busyMs)) / pushes,
    spread: 0,
    jitter: 0,
    stragglers: 0,
    parameters: schema.size,
    serverTime: (1000 * report.server.busyMs) / pushes,
    serverPerNumber: 0,
    evalRounds: 1e6,
    batch: BATCH,
    minutes: report.wallSeconds / 60,
  };
}

function predicted(report: RunReport, strategy: 'sync' | 'async', hopMs: number): Figures {
  const simulation = new Simulation(scenarioOf(report, hopMs), strategy);
  while (simulation.advance(10_000)) {}
  const run = simulation.result();
  const pushes = run.examples / BATCH;
  return {
    updatesPerSecond: (1000 * run.updates) / run.elapsedMs,
    upBytesPerPush: run.hostBytes.up / pushes,
    downBytesPerPush: run.hostBytes.down / pushes,
    idleShare: run.shares.idle,
  };
}

/** From one worker alone: half of what its round trips took beyond what they should. */
function hopOf(alone: RunReport): number {
  const roundMs = (figures: Figures) => 1000 / figures.updatesPerSecond;
  return Math.max(0, roundMs(measured(alone)) - roundMs(predicted(alone, 'async', 0))) / 2;
}

export async function run(): Promise<object> {
  const setting = { batch: BATCH, lr: 0.1, emulate: emulated(LATENCY_MS, MBPS) };
  const hopMs = hopOf(await realRun(1, { ...setting, strategy: 'async', maxSteps: STEPS }));
  console.error(`a message takes ${hopMs.toFixed(1)} ms beside the emulated link`);
  const rows: Record<string, object> = {};
  for (const strategy of ['sync', 'async'] as const) {
    const maxSteps = strategy === 'sync' ? STEPS : TABS * STEPS;
    const report = await realRun(TABS, { ...setting, strategy, maxSteps });
    const [real, foretold] = [measured(report), predicted(report, strategy, hopMs)];
    const ratio = Object.fromEntries(
      (Object.keys(real) as (keyof Figures)[]).map((key) => [key, foretold[key] / real[key]]),
    );
    const { compute, serverTime } = scenarioOf(report, hopMs);
    rows[`${strategy} ×${TABS}`] = {
      given: { compute, serverTime, hopMs },
      measured: real,
      predicted: foretold,
      ratio,
    };
    console.error(strategy, JSON.stringify(ratio));
  }
  return { what: describe, rows };
}

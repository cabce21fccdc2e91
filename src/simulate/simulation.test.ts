import { describe, expect, it } from 'vitest';
import { codecNamed } from '../core/math/codec/codec.ts';
import { problemOf } from './problem.ts';
import type { SimulatedRun } from './result.ts';
import { type Comparable, comparable, defaultScenario, type Scenario } from './scenario.ts';
import { Simulation } from './simulation.ts';

/** Nothing takes time but computing, and everybody is alike. */
const ideal: Scenario = {
  ...defaultScenario,
  workers: 4,
  latency: 0,
  bandwidth: Number.POSITIVE_INFINITY,
  hostBandwidth: Number.POSITIVE_INFINITY,
  compute: 100,
  spread: 0,
  jitter: 0,
  stragglers: 0,
  serverTime: 0,
  serverPerNumber: 0,
  evaluation: 0,
  evalRounds: 5,
  parameters: 170,
  minutes: 0.1,
};

function simulate(scenario: Scenario, strategy: Comparable): SimulatedRun {
  const simulation = new Simulation(scenario, strategy);
  while (simulation.advance(1000)) {}
  return simulation.result();
}

const rough: Scenario = { ...defaultScenario, workers: 8, churn: 60, minutes: 0.5, parameters: 5000 };

describe.each(comparable)('%s', (strategy) => {
  it('gives the same to the bit for the same seed, 7, and something else for another, 8', () => {
    const [once, again, other] = [rough, rough, { ...rough, seed: 8 }].map((world) => simulate(world, strategy));
    expect(again).toEqual(once);
    expect(other?.events).not.toBe(once?.events);
  });

  it('learns although workers leave and come, seed 7', () => {
    const run = simulate({ ...rough, minutes: 1 }, strategy);
    expect(run.stopReason).toBe('minutes');
    expect(run.leaves).toBeGreaterThan(20);
    expect(run.joins).toBeGreaterThan(20);
    expect(run.testLoss).toBeLessThan(1.5);
  });
});

it('sync without delays is training on the joined batch, look by look', () => {
  const run = simulate(ideal, 'sync');
  const problem = problemOf(ideal.seed);
  const params = new Float32Array(problem.schema.size);
  const gradient = new Float32Array(params.length);
  const batch = ideal.workers * ideal.batch;
  let step = 0;
  for (const point of run.curve) {
    for (; step < point.step; step++) {
      problem.gradient(params, step * batch, batch, gradient);
      for (let i = 0; i < params.length; i++) params[i] = (params[i] as number) - ideal.lr * (gradient[i] as number);
    }
    // The last look is taken when the time is over.
    if (point !== run.curve.at(-1)) expect(point.elapsedMs).toBe(step * ideal.compute);
    expect(point.examples).toBe(step * batch);
    expect(point.loss).toBeCloseTo(problem.test(params).loss, 5);
  }
  expect(run.curve.length).toBeGreaterThan(10);
  expect(run.shares.idle).toBeCloseTo(0, 6);
});

describe('one worker', () => {
  const alone: Scenario = { ...ideal, workers: 1, minutes: 1 };

  it('takes its computing and the way to the host and back for each step', () => {
    const run = simulate({ ...alone, latency: 50 }, 'async');
    expect(run.updates).toBe(Math.floor(60_000 / 200));
    expect(run.shares.idle).toBeCloseTo(0.5, 2);
    expect(run.shares.transfer).toBeCloseTo(0.5, 2);
  });

  it('takes the time of its bytes on the slower of two links, each way', () => {
    // 400,000 bytes at 50 bytes a millisecond: 8 s each way. Heads of messages add a little.
    const run = simulate({ ...alone, parameters: 100_000, bandwidth: 0.4, minutes: 2 }, 'async');
    expect(run.updates).toBe(Math.floor(120_000 / 16_100));
    const slowHost = { ...alone, parameters: 100_000, hostBandwidth: 0.4, minutes: 2 };
    expect(simulate(slowHost, 'async').updates).toBe(run.updates);
  });

  it('waits for the server', () => {
    // 100 ms of computing and 100 ms of the server's time.
    const run = simulate({ ...alone, parameters: 10_000, serverPerNumber: 10_000 }, 'async');
    expect(run.updates).toBe(Math.floor(60_000 / 200));
    expect(run.hostBusy.server).toBeCloseTo(0.5, 2);
  });
});

it('the host’s link is shared: twice the workers, half the speed of each', () => {
  // 40,000 bytes at 12,500 a millisecond: 3.2 ms each for ten or twenty workers that compute for 1 ms.
  const world = { ...ideal, compute: 1, parameters: 10_000, hostBandwidth: 100, evalRounds: 100 };
  const [ten, twenty] = [10, 20].map((workers) => simulate({ ...world, workers }, 'async'));
  expect(ten?.updates).toBeGreaterThan(1500);
  expect(twenty?.updates).toBeCloseTo(ten?.updates ?? 0, -2);
  expect(twenty?.hostBusy.up).toBeGreaterThan(0.95);
});

describe('stragglers', () => {
  const fair: Scenario = { ...ideal, workers: 10, minutes: 0.5, latency: 10 };
  const unfair: Scenario = { ...fair, stragglers: 0.1, slowdown: 10 };
  const updates = (world: Scenario, strategy: Comparable) => simulate(world, strategy).updates;

  it('slow sync down by as much as they are slower', () => {
    // 100 ms of computing become 1000, and 20 ms are on the way.
    expect(updates(unfair, 'sync') / updates(fair, 'sync')).toBeCloseTo(120 / 1020, 2);
    expect(simulate(unfair, 'sync').shares.wait).toBeGreaterThan(0.75);
  });

  it('hardly touch async', () => {
    expect(updates(unfair, 'async') / updates(fair, 'async')).toBeGreaterThan(0.9);
  });

  it('do not hold up sync with backup workers', () => {
    expect(updates({ ...unfair, backup: 1 }, 'sync') / updates(fair, 'sync')).toBeGreaterThan(0.9);
  });

  it('let bounded be only so far ahead', () => {
    const run = simulate(unfair, 'bounded');
    // 30 steps of the slowest, and nobody more than the lead beyond.
    expect(run.updates).toBeLessThanOrEqual(10 * (30 + unfair.lead));
    expect(run.updates).toBeGreaterThan(250);
  });
});

describe('bytes', () => {
  const parameters = 61_706;
  const world: Scenario = { ...ideal, parameters, minutes: 0.5, evalRounds: 1000 };

  it.each([
    ['float32', 'float32'],
    ['int8', 'float16'],
    ['topk', 'int8'],
  ] as const)('of sync are those of the codecs, up %s and down %s', (up, down) => {
    const run = simulate({ ...world, up, down }, 'sync');
    const pushes = run.updates * world.workers;
    const codecBytes = (name: typeof up | typeof down) => codecNamed(name, world.topk).bytesFor(parameters);
    const perPush = (run.hostBytes.up / pushes - codecBytes(up)) / codecBytes(up);
    const perAnswer = (run.hostBytes.down / pushes - codecBytes(down)) / codecBytes(down);
    // Heads of messages, frames, beats and progress are the rest: 400 bytes or so, much beside one top-k push only.
    expect(perPush).toBeGreaterThan(0);
    expect(perPush).toBeLessThan(up === 'topk' ? 0.15 : 0.02);
    expect(perAnswer).toBeGreaterThan(0);
    expect(perAnswer).toBeLessThan(0.03);
  });

  it('of allreduce go between workers: about twice the model for each, and almost none to the host', () => {
    const run = simulate({ ...world, minutes: 1 }, 'allreduce');
    const [n, bytes] = [world.workers, 4 * parameters];
    expect(run.workerBytes.up / run.updates / ((2 * (n - 1) * bytes) / n)).toBeCloseTo(1, 1);
    expect(run.hostBytes.down / run.updates).toBeLessThan(0.01 * n * bytes);
  });

  it('of local steps are once for many', () => {
    const run = simulate({ ...world, minutes: 1, localSteps: 16 }, 'local');
    expect(run.examples).toBe(run.updates * world.workers * 16 * world.batch);
    expect(run.hostBytes.up / (run.updates * world.workers)).toBeLessThan(1.05 * 4 * parameters);
  });
});

it('ends at its test loss, and says when it was reached', () => {
  const run = simulate({ ...ideal, minutes: 2, untilLoss: 0.6 }, 'sync');
  expect(run.stopReason).toBe('loss');
  expect(run.toTargetMs).toBe(run.elapsedMs);
  expect(run.testLoss).toBeLessThanOrEqual(0.6);
});

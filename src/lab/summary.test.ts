import { describe, expect, test } from 'vitest';
import { rng } from '../core/math/rng.ts';
import type { Bound } from '../observe/bottleneck/shares.ts';
import { isApart, type Measured, measured } from './measured.ts';
import { summarize } from './summary.ts';
import { sweepForTests } from './sweep-for-tests.ts';

describe('mean and spread', () => {
  test('one run has a mean and no spread; none has nothing', () => {
    expect(measured([3])).toEqual({ mean: 3, spread: null, min: 3, max: 3, n: 1 });
    expect(measured([null, Number.NaN])).toBeNull();
  });

  test.each([1, 2, 3, 4])('shift and scale as they should, seed %i', (seed) => {
    const random = rng(seed, 'measured');
    const values = Array.from({ length: 2 + random.below(8) }, () => random.normal() * 10 + 50);
    const [shift, scale] = [random.uniform() * 100, 0.5 + random.uniform()];
    const plain = measured(values) as Measured;
    const moved = measured(values.map((value) => value * scale + shift)) as Measured;
    expect(moved.mean).toBeCloseTo(plain.mean * scale + shift, 8);
    expect(moved.spread).toBeCloseTo((plain.spread ?? Number.NaN) * scale, 8);
    // Sum over pairs: the same variance by another formula.
    const pairs = values.flatMap((a, i) => values.slice(i + 1).map((b) => (a - b) ** 2));
    const n = values.length;
    expect((plain.spread ?? 0) ** 2).toBeCloseTo(pairs.reduce((sum, square) => sum + square, 0) / (n * (n - 1)), 8);
    expect(plain.min).toBeLessThanOrEqual(plain.mean);
    expect(plain.max).toBeGreaterThanOrEqual(plain.mean);
  });

  test('two are apart only when the difference is beyond both spreads', () => {
    const [near, far] = [measured([10, 11, 12]), measured([13.1, 14.1, 15.1])] as [Measured, Measured];
    expect(isApart(near, far)).toBe(true);
    expect(isApart(near, measured([11, 13, 15]) as Measured)).toBe(false);
    expect(isApart(near, measured([12.5]) as Measured)).toBe(false);
    expect(isApart(near, measured([13.5]) as Measured)).toBe(true);
  });
});

describe('the summary of a sweep', () => {
  const result = sweepForTests({ seed: 5 });
  const settings = summarize(result);
  const of = (label: string) => settings.find((setting) => setting.label === label) ?? expect.fail(label);

  test('has each setting once, in the order of runs, with every run in it once', () => {
    expect(settings.map(({ label }) => label)).toEqual([
      'single',
      'sync × 1',
      'sync × 2',
      'sync × 3',
      'async × 1',
      'async × 2',
      'async × 3',
    ]);
    const runs = settings.flatMap(({ reports, failures, missing }) => [...reports, ...failures, ...missing]);
    expect(runs).toHaveLength(result.outcomes.length + result.missing.length);
  });

  test('folds the runs that trained to their end and leaves failures out', () => {
    const whole = of('sync × 2');
    const seconds = whole.reports.map(({ wallSeconds }) => wallSeconds);
    expect(whole.seconds).toEqual(measured(seconds));
    expect(whole.secondsToTarget).toEqual(whole.seconds);
    const failing = settings.find(({ failures }) => failures.length > 0) ?? expect.fail('no failure');
    expect(failing.seconds?.n).toBe(result.sweep.repeats - failing.failures.length);
  });

  test('an epoch is as many examples as the data has', () => {
    const [first] = of('single').reports;
    const lone = { ...result, outcomes: result.outcomes.filter(({ report }) => report === first), missing: [] };
    const [setting] = summarize(lone);
    const epochs = (first?.examples ?? 0) / 60_000;
    expect(setting?.epochSeconds?.mean).toBeCloseTo((first?.wallSeconds ?? 0) / epochs, 9);
  });

  test('a run that ended for another reason has not reached the target', () => {
    const outcomes = result.outcomes.map((outcome) =>
      outcome.label === 'single' && outcome.report
        ? { ...outcome, report: { ...outcome.report, stopReason: 'minutes' as const } }
        : outcome,
    );
    const [single] = summarize({ ...result, outcomes });
    expect(single?.secondsToTarget).toBeNull();
    expect(single?.seconds).not.toBeNull();
  });

  test('the bottleneck is what most runs say', () => {
    const bounds: readonly Bound[] = ['network', 'compute', 'compute'];
    const outcomes = result.outcomes.map((outcome) => {
      const bottleneck = outcome.report?.bottleneck;
      const bound: Bound = bounds[outcome.repeat - 1] ?? 'server';
      return outcome.report && bottleneck
        ? { ...outcome, report: { ...outcome.report, bottleneck: { ...bottleneck, bound } } }
        : outcome;
    });
    const [single] = summarize({ ...result, outcomes });
    expect(single?.bottleneck).toMatchObject({ bound: 'compute', agreeing: 2 });
  });

  test('workers are folded by their number over repeats', () => {
    const setting = of('async × 3');
    expect(setting.workers.map(({ worker }) => worker)).toEqual([0, 1, 2]);
    const steps = setting.reports.map(({ workers }) => workers[1]?.steps ?? Number.NaN);
    expect(setting.workers[1]?.steps).toEqual(measured(steps));
    expect(setting.workers[0]?.steps?.mean).toBeGreaterThan(setting.workers[1]?.steps?.mean ?? 0);
    const equal = of('sync × 3').workers.map((worker) => worker.steps?.mean);
    expect(new Set(equal).size).toBe(1);
  });
});

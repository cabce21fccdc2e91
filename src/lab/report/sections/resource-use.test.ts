import { expect, test } from 'vitest';
import { noSample, type TimedSample } from '../../../core/wire/resources.ts';
import type { RunReport } from '../../../observe/run-report.ts';
import { sweepForTests } from '../../sweep-for-tests.ts';
import { highest, meanShare, nodeUses, perSecond, workerCpu, workerMegabytesPerSecond } from './resource-use.ts';

const report = sweepForTests({ seed: 1 }).outcomes[0]?.report ?? expect.fail();

/** A run that began to train after six seconds and ended after ten. */
function trained(samples: readonly TimedSample[]): RunReport {
  const beganMs = Date.parse(report.startedAt);
  const point = (atMs: number) => ({ step: 1, elapsedMs: atMs - 6000, wallMs: beganMs + atMs, loss: 1 });
  const series = { ...report.series, train: [point(6100), point(10_000)] };
  return { ...report, series, resources: [{ node: 'worker 1', worker: 1, source: 'process', samples }] };
}

const sample = (atMs: number, cpu: number, sentBytes: number): TimedSample => ({ ...noSample, atMs, cpu, sentBytes });

test('shares and rates are of the time of training, whatever tabs did before and after', () => {
  const samples = [sample(1000, 0.9, 0), sample(5000, 2, 100), sample(7000, 0.4, 2100)];
  const [use = expect.fail()] = nodeUses({
    reports: [trained([...samples, sample(9000, 0.6, 6100), sample(12_000, 0.3, 8100)])],
  });
  // One second at 0.4, two at 0.6, one at 0.3.
  expect(meanShare(use, 'cpu')?.mean).toBeCloseTo(1.9 / 4, 12);
  expect(highest(use, 'cpu')).toBe(0.6);
  expect(perSecond(use, 'sentBytes')?.mean).toBeCloseTo(8000 / 4, 9);
});

test('a run shorter than the time between two samples is told by what there is', () => {
  const [use = expect.fail()] = nodeUses({ reports: [trained([sample(11_000, 0.7, 5000)])] });
  expect(highest(use, 'cpu')).toBe(0.7);
  expect(meanShare(use, 'cpu')?.mean).toBe(0.7);
  expect(perSecond(use, 'sentBytes')).toBeNull();
});

test('of a worker the system tells the CPU and its tab the network, and both are compared', () => {
  const process = [sample(5000, 0.5, 0), sample(11_000, 0.5, 0)].map((one) => ({ ...one, sentBytes: null }));
  const tab = [sample(6000, 0, 0), sample(10_000, 0, 8e6)].map((one) => ({
    ...one,
    cpu: null,
    receivedBytes: one.sentBytes,
  }));
  const run = trained(process);
  const resources = [...run.resources, { node: 'worker 1', worker: 1, source: 'tab', samples: tab } as const];
  const setting = { reports: [{ ...run, resources }] };
  expect(workerCpu(setting)?.mean).toBeCloseTo(0.5, 12);
  expect(workerMegabytesPerSecond(setting)?.mean).toBeCloseTo(4, 12);
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { noPhases } from '../core/wire/phases.ts';
import type { Phases } from '../core/wire/protocol.ts';
import type { ResourceSample } from '../core/wire/resources.ts';
import type { Gauges } from '../observe/resource-sampler.ts';
import type { WorkerStage } from './state.ts';
import { samplePacer, tabSampler } from './tab-sampler.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A tab whose view is in the test's hands. */
function tab() {
  let view: { stage: WorkerStage; phases: Phases } = { stage: { kind: 'idle' }, phases: noPhases };
  let isWatching = false;
  const openGauges = (): Gauges => {
    isWatching = true;
    return {
      read: async () => ({
        cpuMs: null,
        memoryBytes: null,
        readBytes: null,
        writtenBytes: null,
        storageBytes: null,
        pressure: null,
      }),
      close() {
        isWatching = false;
      },
    };
  };
  const told: ResourceSample[] = [];
  const links = async () => [{ key: 'host 1', sentBytes: 1000, receivedBytes: 2000 }];
  const pacer = samplePacer(
    tabSampler({ now: () => Date.now(), phases: () => view.phases, links, openGauges }),
    (sample) => told.push(sample),
  );
  const change = (part: Partial<typeof view>) => {
    view = { ...view, ...part };
    pacer.update(view);
  };
  return {
    told,
    pacer,
    isResting: () => vi.getTimerCount() === 0 && !isWatching,
    show: (kind: 'waiting' | 'training' | 'paused' | 'finished') => change({ stage: { kind } }),
    step: (computeMs: number) =>
      change({ phases: { ...view.phases, waitMs: 9e9, computeMs: view.phases.computeMs + computeMs } }),
  };
}

test('nothing is sampled before the first step, and then every two seconds', async () => {
  const { told, show, step, isResting } = tab();
  show('waiting');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told).toEqual([]);
  expect(isResting()).toBe(true);
  show('training');
  step(10);
  await vi.advanceTimersByTimeAsync(1);
  expect(told).toMatchObject([{ sentBytes: 1000, receivedBytes: 2000 }]);
  for (let steps = 0; steps < 8; steps += 1) {
    await vi.advanceTimersByTimeAsync(500);
    step(400);
    show(steps % 2 === 0 ? 'waiting' : 'training');
  }
  await vi.advanceTimersByTimeAsync(1);
  expect(told.map(({ busy }) => busy)).toEqual([null, 0.6, 0.8]);
});

test('a pause and the end of a run take a last sample, and then nothing wakes', async () => {
  for (const kind of ['paused', 'finished'] as const) {
    const { told, show, step, isResting } = tab();
    show('waiting');
    step(1);
    await vi.advanceTimersByTimeAsync(2500);
    expect(told).toHaveLength(2);
    show(kind);
    await vi.advanceTimersByTimeAsync(1);
    expect(told).toHaveLength(3);
    expect(isResting()).toBe(true);
    show('training');
    step(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(told).toHaveLength(4);
    expect(isResting()).toBe(false);
    show(kind);
  }
});

test('a tab that waits long for others rests until it steps again', async () => {
  const { told, show, step, isResting } = tab();
  show('waiting');
  step(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(isResting()).toBe(true);
  expect(told.length).toBeLessThan(10);
  expect(told.map(({ busy }) => busy)).toContain(0);
  step(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(isResting()).toBe(false);
});

test('Stop stops at once: not even the sample under way is told', async () => {
  const { told, show, step, pacer, isResting } = tab();
  show('waiting');
  step(1);
  pacer.stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(told).toEqual([]);
  expect(isResting()).toBe(true);
});

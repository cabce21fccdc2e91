import { expect, test } from 'vitest';
import { sampleSchema } from '../core/wire/resources.ts';
import { type Gauged, type LinkBytes, resourceSampler } from './resource-sampler.ts';

/** A node in the test's hands. */
function node() {
  const gauged: Gauged = {
    cpuMs: null,
    memoryBytes: 5,
    readBytes: null,
    writtenBytes: null,
    storageBytes: 7,
    pressure: 'fair',
  };
  const state = { nowMs: 0, busyMs: 0, links: [] as LinkBytes[], gauged, open: 0 };
  const sampler = resourceSampler({
    now: () => state.nowMs,
    busyMs: () => state.busyMs,
    links: async () => state.links,
    openGauges() {
      state.open += 1;
      return {
        read: async () => state.gauged,
        close() {
          state.open -= 1;
        },
      };
    },
  });
  return { state, sampler };
}

test('a sample is one that the protocol takes, with null for what nobody tells', async () => {
  const { sampler } = node();
  const sample = await sampler.sample();
  expect(sampleSchema.parse(sample)).toEqual(sample);
  expect(sample).toMatchObject({ busy: null, cpu: null, sentBytes: null, memoryBytes: 5, storageBytes: 7 });
});

test('busy and cpu are shares of the time since the last look', async () => {
  const { state, sampler } = node();
  state.gauged = { ...state.gauged, cpuMs: 100 };
  await sampler.sample();
  Object.assign(state, { nowMs: 2000, busyMs: 1500, gauged: { ...state.gauged, cpuMs: 3100 } });
  expect(await sampler.sample()).toMatchObject({ busy: 0.75, cpu: 1.5 });
  Object.assign(state, { nowMs: 4000, busyMs: 1700 });
  expect(await sampler.sample()).toMatchObject({ busy: 0.1, cpu: 0 });
});

test('a step longer than the time between looks is no idleness, and counts for all of its time', async () => {
  const { state, sampler } = node();
  await sampler.sample();
  const seen: (number | null)[] = [];
  for (const [nowMs, busyMs] of [
    [2000, 0],
    [4000, 0],
    [6000, 5400],
    [8000, 5400],
    [14_000, 5400],
    [16_000, 5400],
  ] as const) {
    Object.assign(state, { nowMs, busyMs });
    seen.push((await sampler.sample()).busy);
  }
  expect(seen).toEqual([null, null, 0.9, null, null, 0]);
});

test('work that is counted from zero again, as in a new run, is not negative', async () => {
  const { state, sampler } = node();
  state.busyMs = 90_000;
  await sampler.sample();
  Object.assign(state, { nowMs: 2000, busyMs: 500 });
  expect((await sampler.sample()).busy).toBe(0.25);
});

test('bytes are of all links so far, those that ended too', async () => {
  const { state, sampler } = node();
  state.links = [{ key: 'a', sentBytes: 10, receivedBytes: 1 }];
  expect(await sampler.sample()).toMatchObject({ sentBytes: 10, receivedBytes: 1 });
  state.links = [{ key: 'b', sentBytes: 5, receivedBytes: 100 }];
  expect(await sampler.sample()).toMatchObject({ sentBytes: 15, receivedBytes: 101 });
  state.links = [];
  expect(await sampler.sample()).toMatchObject({ sentBytes: 15, receivedBytes: 101 });
});

test('what watches is closed, opened again by the next sample, and totals stay', async () => {
  const { state, sampler } = node();
  expect(state.open).toBe(0);
  state.links = [{ key: 'a', sentBytes: 10, receivedBytes: 1 }];
  await sampler.sample();
  await sampler.sample();
  expect(state.open).toBe(1);
  sampler.close();
  sampler.close();
  expect(state.open).toBe(0);
  expect(await sampler.sample()).toMatchObject({ sentBytes: 10 });
  expect(state.open).toBe(1);
});

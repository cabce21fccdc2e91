import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

import { defaultExperiment } from '../experiment/experiment.ts';
import { type TrainOptions, train } from './train.ts';

/** A stand-in for the app: a host that finishes by itself, and workers that do what the seed says. */
const pretendApp = `
const query = new URLSearchParams(location.hash.slice(1));
const seed = Number(query.get('seed') ?? 7);
const code = query.get('join');
const counters = { updates: 0 };
const glances = { left: 8 };
if (code === null) {
  const host = {
    run: null,
    log: null,
    get state() {
      if (this.run && glances.left-- === 0) {
        this.run = { ...this.run, phase: seed === 3 ? 'failed' : 'finished', stopReason: seed === 3 ? 'diverged' : 'steps',
          counters: { updates: seed === 4 ? 0 : 5 } };
      }
      return { room: { code: 'abc-' + seed, signalling: 'open', problem: null }, run: this.run, workers: [], note: null };
    },
    setTrainsHere(on) { this.here = on; },
    subscribe(listener) { setTimeout(listener); return () => {}; },
    start(experiment) {
      this.run = { id: 'pretended', phase: seed === 1 ? 'waiting' : 'running', experiment, version: 5, examples: 500, elapsedMs: 1000,
        leftMs: null, startedAtMs: Date.now(), stopReason: null, counters: { updates: 0 } };
    },
  };
  const joinLink = () => location.origin + '/#join=abc-' + seed;
  globalThis.manyhands = { host, joinLink, report: () => ({ steps: 5, series: { test: [{ step: 5 }] }, workers: [], resources: [], here: host.here, backend: query.get('backend') }) };
} else {
  const view = { stage: { kind: 'idle' } };
  globalThis.manyhands = { worker: { view } };
  document.querySelector('button').addEventListener('click', () => {
    const isBroken = code === 'abc-1' || code === 'abc-2';
    view.stage = isBroken ? { kind: 'broken', trouble: { code: 'data', detail: 'no digits' } } : { kind: 'training' };
    if (code === 'abc-5') console.error('something odd');
  });
}`;

const dist = mkdtempSync(join(tmpdir(), 'pretend-'));
writeFileSync(join(dist, 'app.js'), pretendApp);
writeFileSync(join(dist, 'favicon.ico'), '');
writeFileSync(join(dist, 'index.html'), '<button>Contribute</button><script src="app.js"></script>');
afterAll(() => rmSync(dist, { recursive: true }));

function trainPretending(seed: number, changes: Partial<TrainOptions> = {}) {
  const options: TrainOptions = {
    experiment: { ...defaultExperiment, seed, workers: 2 },
    tabs: 2,
    host: 'tab',
    hostTrains: false,
    backend: 'wasm',
    isHeaded: false,
    timeoutMs: 60_000,
    ...changes,
  };
  return train({ ...options, app: dist }, { note: () => {}, progress: () => {} });
}

test('a run that finishes with every tab well has no failure', { timeout: 30_000 }, async () => {
  const { failure, problems, report } = await trainPretending(6);
  expect({ failure, problems }).toEqual({ failure: null, problems: [] });
  expect(report).toMatchObject({ steps: 5, workers: [], here: false, backend: 'wasm' });
});

test('a worker tab that breaks before the start is named with its reason', { timeout: 30_000 }, async () => {
  const { failure } = await trainPretending(1);
  expect(failure).toContain('the run cannot start: worker tab 1: data: no digits');
});

test('a worker tab that breaks during the run is a failure though the run finishes', { timeout: 30_000 }, async () => {
  const { failure, problems } = await trainPretending(2);
  expect(failure).toContain('worker tab 2');
  expect(problems).toContain('worker tab 1 failed: data: no digits');
});

test.each([
  [3, 'it diverged'],
  [4, 'without a single update'],
])('with seed %i the failure says: %s', { timeout: 30_000 }, async (seed, words) => {
  expect((await trainPretending(seed)).failure).toContain(words);
});

test('what pages complain about is reported with the tab', { timeout: 30_000 }, async () => {
  expect((await trainPretending(5, { tabs: 1 })).problems).toEqual(['worker tab 1: something odd']);
});

test('a host that trains alone needs no worker tab', { timeout: 30_000 }, async () => {
  const { failure, report } = await trainPretending(6, { tabs: 0, hostTrains: true, backend: 'auto' });
  expect(failure).toBeNull();
  expect(report).toMatchObject({ steps: 5, workers: [], here: true, backend: null });
});

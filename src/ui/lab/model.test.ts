import { expect, it } from 'vitest';
import { parseSweep } from '../../lab/sweep.ts';
import { workerRow } from './host-for-tests.ts';
import { base, memoryStore, rig, settle, stateOf } from './rig-for-tests.ts';

it('starts nothing by itself, and lays out what it will do', async () => {
  const { model, host } = rig({ tabs: 3 });
  await settle();
  expect(host.told).toEqual([]);
  expect(model.plan.value).toMatchObject({ ok: true, maxTabs: 2 });
  expect(stateOf(model)).toEqual(['1 worker: to come', '2 workers: to come']);
});

it('gives each run as many workers as it asks for, and keeps only those in its report', async () => {
  const { model, host } = rig({ tabs: 3 });
  model.start();
  await settle();
  expect(host.told).toEqual(['trains here: false', 'start sync × 1, at most 1']);
  host.end(20, 1);
  await settle();
  expect(host.told.slice(2)).toEqual(['profile', 'trains here: false', 'start sync × 2, at most 2']);
  host.end(20, 2);
  await settle();
  expect(stateOf(model)).toEqual(['1 worker: 20', '2 workers: 20']);
  const reports = [...model.outcomes.value.values()].map(({ report }) => report?.workers.map(({ worker }) => worker));
  expect(reports).toEqual([[1], [1, 2]]);
  expect(model.progress.value).toBeNull();
  expect(model.result()).toMatchObject({ command: 'npm run lab -- up-to-two --out up-to-two', missing: [] });
  expect(host.listeners).toBe(0);
});

it('waits for the tabs a run needs, and goes on when they are there', async () => {
  const { model, host } = rig();
  model.start();
  await settle();
  expect(model.stage.value).toEqual({ kind: 'short', needed: 1, here: 0 });
  host.put({ workers: [workerRow(1, 'paused'), workerRow(2, 'gone')] });
  expect(model.stage.value).toEqual({ kind: 'short', needed: 1, here: 0 });
  expect(host.told).toEqual([]);
  host.connect(1);
  await settle();
  expect(model.stage.value).toMatchObject({ kind: 'training', id: 'run 1' });
});

it('waits again for a worker that left before the run began, and can pass it over', async () => {
  const { model, host } = rig({ tabs: 1 });
  host.startsLate = true;
  model.start();
  await settle();
  host.begin();
  const { run } = host.state;
  host.put({ run: run && { ...run, phase: 'waiting' }, workers: [workerRow(1, 'gone')] });
  await settle();
  expect(model.stage.value).toEqual({ kind: 'short', needed: 1, here: 0 });
  model.skipShort();
  await settle();
  expect(host.told.at(-1)).toBe('reset');
  expect(stateOf(model)).toEqual(['1 worker: to come', '2 workers: to come']);
});

it('passes over runs that need more tabs than are here, and they are still to come', async () => {
  const { model, host } = rig({ tabs: 1 });
  model.start();
  await settle();
  host.end(20, 1);
  await settle();
  expect(model.stage.value).toEqual({ kind: 'short', needed: 2, here: 1 });
  model.skipShort();
  await settle();
  expect(model.progress.value).toBeNull();
  expect(stateOf(model)).toEqual(['1 worker: 20', '2 workers: to come']);
  host.connect(2);
  model.start();
  await settle();
  expect(host.told.at(-1)).toBe('start sync × 2, at most 2');
});

it('trains in this tab where the sweep or single says so', async () => {
  const sweep = parseSweep({ name: 'here', base, hostTrains: true, cases: [{ strategy: 'single' }, { workers: 2 }] });
  const { model, host } = rig({ sweep, tabs: 0 });
  expect(model.plan.value).toMatchObject({ maxTabs: 1 });
  model.start();
  await settle();
  expect(host.told).toEqual(['trains here: true', 'start single × 1, at most 1']);
  host.end(20, 1);
  await settle();
  expect(model.stage.value).toMatchObject({ kind: 'short', needed: 1 });
});

it('breaks off at once when stopped, and begins that run anew', async () => {
  const { model, host } = rig({ tabs: 2 });
  model.start();
  await settle();
  model.stop();
  await settle();
  expect(host.told.at(-1)).toBe('reset');
  expect(model.progress.value).toBeNull();
  expect(stateOf(model)).toEqual(['1 worker: to come', '2 workers: to come']);
  model.start();
  await settle();
  expect(host.told.at(-1)).toBe('start sync × 1, at most 1');
});

it('leaves no run behind that began after it was stopped', async () => {
  const { model, host } = rig({ tabs: 2 });
  host.startsLate = true;
  model.start();
  await settle();
  model.stop();
  await settle();
  expect(model.progress.value?.phase).toBe('stopping');
  host.begin();
  await settle();
  expect(host.told.at(-1)).toBe('reset');
  expect(host.state.run).toBeNull();
  expect(model.progress.value).toBeNull();
});

it('says why a run did not begin', async () => {
  const { model, host } = rig({ tabs: 2 });
  host.startsLate = true;
  model.start();
  await settle();
  host.put({ note: { kind: 'broken', text: 'There is no such data.' } });
  await settle();
  expect(stateOf(model)[0]).toBe('1 worker: There is no such data.');
});

it('gives a run that did not begin nothing of the one before', async () => {
  const { model, host } = rig({ tabs: 2 });
  model.start();
  await settle();
  host.startsLate = true;
  host.end(20, 1);
  await settle();
  host.put({ note: { kind: 'broken', text: 'There is no such data.' } });
  await settle();
  expect(stateOf(model)).toEqual(['1 worker: 20', '2 workers: There is no such data.']);
  expect([...model.outcomes.value.values()].map(({ report }) => report?.id)).toEqual(['run 1', undefined]);
});

it('ends the run under way before it pauses', async () => {
  const { model, host } = rig({ tabs: 2 });
  model.start();
  await settle();
  model.pause();
  expect(model.progress.value).toMatchObject({ phase: 'paused', run: { label: '1 worker' } });
  host.end(20, 1);
  await settle();
  expect(model.progress.value).toMatchObject({ phase: 'paused', run: null });
  expect(host.told.at(-1)).toBe('profile');
  model.resume();
  await settle();
  expect(host.told.at(-1)).toBe('start sync × 2, at most 2');
});

it('does not count a run that diverged or lost a worker, and runs those again', async () => {
  const { model, host } = rig({ tabs: 2 });
  model.start();
  await settle();
  host.end(7, 1, 'failed', 'diverged');
  await settle();
  host.put({ workers: [workerRow(1), { ...workerRow(2, 'gone'), applied: 3 }] });
  host.end(20, 1);
  await settle();
  expect(stateOf(model)).toEqual([
    expect.stringMatching(/^1 worker: Stopped: the loss grew/),
    '2 workers: only 1 of 2 workers took part to the end',
  ]);
  host.connect(2);
  model.startFailed();
  await settle();
  host.end(20, 1);
  await settle();
  host.end(20, 2);
  await settle();
  expect(stateOf(model)).toEqual(['1 worker: 20', '2 workers: 20']);
});

it('does not count a run in which somebody took the place of a worker that left', async () => {
  const { model, host } = rig({ tabs: 1 });
  model.start();
  await settle();
  host.put({ workers: [{ ...workerRow(1, 'gone'), applied: 7 }, workerRow(2)] });
  host.end(20, 2);
  await settle();
  expect(stateOf(model)[0]).toBe('1 worker: only 0 of 1 workers took part to the end');
});

it('runs what is wanted first, and the rest when that is done', async () => {
  const { model, host } = rig({ tabs: 2 });
  model.want('01-1-worker', false);
  model.start();
  await settle();
  expect(host.told.at(-1)).toBe('start sync × 2, at most 2');
  host.end(20, 2);
  await settle();
  expect(model.progress.value).toBeNull();
  expect(stateOf(model)).toEqual(['1 worker: to come', '2 workers: 20']);
  model.start();
  await settle();
  expect(host.told.at(-1)).toBe('start sync × 1, at most 1');
});

it('runs each as often as is asked for, and has that in the command that repeats it', async () => {
  const { model, host } = rig({ tabs: 2 });
  model.adjust({ repeats: 2, keepsLargeModels: true });
  expect(stateOf(model)).toHaveLength(4);
  model.start();
  await settle();
  expect(host.told.at(-1)).toBe('start sync × 1, at most 1');
  expect(model.result()?.command).toBe('npm run lab -- up-to-two --repeats 2 --all-models --out up-to-two');
});

it('does the runs of a lab again when more repeats are asked for, and keeps that', async () => {
  const { model, host, kept } = rig({ tabs: 2 });
  model.start();
  await settle();
  host.end(20, 1);
  await settle();
  host.end(20, 2);
  await settle();
  model.repeatMore(2);
  expect(stateOf(model)).toEqual(['1 worker: 20', '2 workers: 20', '1 worker: to come', '2 workers: to come']);
  model.repeatMore(1);
  expect([...kept.labs.values()]).toMatchObject([{ repeats: 2 }]);
  model.start();
  await settle();
  expect(host.told.at(-1)).toBe('start sync × 1, at most 1');
});

it('does not take more repeats than a sweep may have runs, and says so', async () => {
  const many = parseSweep({ name: 'many', base, vary: { batch: [1, 2, 3, 4, 5, 6] } });
  const { model, kept } = rig({ sweep: many, tabs: 1 });
  model.start();
  await settle();
  model.stop();
  await settle();
  model.repeatMore(100);
  expect(model.trouble.value).toMatch(/has 600 runs; at most 500/);
  expect(stateOf(model)).toHaveLength(6);
  expect([...kept.labs.values()]).toMatchObject([{ repeats: null }]);
});

it('says why a run broke, and goes on with the next', async () => {
  const { model, host } = rig({ tabs: 2 });
  model.start();
  await settle();
  host.put({ note: { kind: 'broken', text: 'A trainer thread stopped.' } });
  host.put({ note: null });
  await settle();
  expect(stateOf(model)[0]).toBe('1 worker: A trainer thread stopped.');
  expect(host.told.at(-1)).toBe('start sync × 2, at most 2');
});

it('finds its results again after a reload, and goes on where it was', async () => {
  const kept = memoryStore();
  const before = rig({ kept, tabs: 1 });
  before.model.start();
  await settle();
  before.host.end(20, 1);
  await settle();
  const [id] = before.shown;
  const { model, host } = rig({ kept, tabs: 2, labId: id ?? null });
  await settle();
  expect(host.told).toEqual([]);
  expect(model.lab.value).toMatchObject({ id, sweep: { name: 'up-to-two' }, isQuick: false });
  expect(stateOf(model)).toEqual(['1 worker: 20', '2 workers: to come']);
  model.start();
  await settle();
  expect(host.told.at(-1)).toBe('start sync × 2, at most 2');
});

it('keeps several labs apart, and forgets one when told', async () => {
  const { model, host, kept, shown } = rig({ tabs: 2 });
  for (const steps of [20, 40]) {
    await model.show(null);
    model.start();
    await settle();
    host.end(steps, 1);
    await settle();
    model.stop();
    await settle();
  }
  const [first = '', second = ''] = [...kept.labs.keys()];
  expect(model.labs.value.map(({ id }) => id)).toEqual([first, second]);
  await model.show(first);
  expect(stateOf(model)[0]).toBe('1 worker: 20');
  await model.remove(first);
  expect(shown.at(-1)).toBeNull();
  expect(model.lab.value).toBeNull();
  await model.show(second);
  expect(stateOf(model)[0]).toBe('1 worker: 40');
  expect([...kept.runs.values()].map(({ lab }) => lab)).toEqual([second]);
});

it('says in words that a lab is not there, or cannot be kept', async () => {
  const { model } = rig({ labId: 'nowhere' });
  await settle();
  expect(model.trouble.value).toMatch(/not kept in this browser/);
  const full = memoryStore();
  full.store.saveRun = () => Promise.reject(new Error('the disk is full'));
  const { model: kept, host } = rig({ kept: full, tabs: 1 });
  kept.start();
  await settle();
  host.end(20, 1);
  await settle();
  expect(kept.trouble.value).toMatch(/could not be kept \(the disk is full\)\. Download/);
  expect(stateOf(kept)[0]).toBe('1 worker: 20');
});

it('takes a sweep from a file, and says what is wrong with one', () => {
  const { model } = rig();
  model.load('mine.json', '{ "name": "mine", "base": { "maxSteps": 5 }, "vary": { "batch": [10, 20, 40] } }');
  expect(stateOf(model)).toHaveLength(3);
  model.load('other.json', '{\n "name": "other",\n "vary": { "batch": [-1] }\n}');
  expect(model.fileProblem.value).toEqual({
    file: 'other.json',
    problems: [expect.stringMatching(/^line 3, vary\.batch\[0\] must /)],
  });
  expect(model.choice.value.sweep.name).toBe('mine');
});

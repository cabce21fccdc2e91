import { expect, type Page } from '@playwright/test';
import type { RunPhase, TestPoint, TrainPoint } from '../src/core/server/progress.ts';
import { defaultExperiment, type Experiment } from '../src/experiment/experiment.ts';
import type { HostGlobal, HostTab, WorkerGlobal, WorkerTab } from '../src/headless/tabs.ts';
import type { Host, HostState, WorkerRow } from '../src/host/state.ts';
import type { WorkerStage, WorkerView } from '../src/worker/state.ts';

/* What people and tests do with tabs. Waiting is always for something to be so, never for time to pass. */

/** Starts a run with what the test changes of the usual experiment; the host's tab trains only if asked. */
export const startTraining = (host: HostTab, experiment: Partial<Experiment> = {}, trainsHere = false): Promise<void> =>
  host.start({ ...defaultExperiment, epochs: null, ...experiment }, trainsHere);

/** Waits until something about the host's state is so. */
export async function waitForHost<T>(
  host: HostTab,
  what: string,
  read: (state: HostState) => T | null | undefined | false,
  timeoutMs = 30_000,
): Promise<T> {
  let found: T | null | undefined | false = null;
  const isSo = async () => {
    const { state } = await host.view();
    found = read(state);
    // What is broken stays so: waiting on would only hide why.
    return found ? 'so' : state.note?.kind === 'broken' ? state.note.text : 'not yet';
  };
  await expect.poll(isSo, { message: what, timeout: timeoutMs, intervals: [50] }).not.toBe('not yet');
  expect(await isSo(), what).toBe('so');
  return found as T;
}

/** Waits until the host's run is in this phase; a run that fails instead ends the wait. */
export async function waitForPhase(host: HostTab, wanted: RunPhase, timeoutMs = 30_000): Promise<void> {
  const inPhase = ({ run }: HostState) => (run?.phase === wanted || run?.phase === 'failed') && run.phase;
  expect(await waitForHost(host, `phase ${wanted}`, inPhase, timeoutMs)).toBe(wanted);
}

/** Presses Start again and waits until that run is over. */
export async function trainAgain(host: HostTab): Promise<void> {
  const before = (await host.view()).state.run?.id;
  await button(host.page, 'Start again').click();
  await waitForHost(host, 'another run', ({ run }) => run && run.id !== before);
  await waitForPhase(host, 'finished');
}

/** Waits until the host's run has done this many steps. */
export const waitForStep = (host: HostTab, step: number, timeoutMs = 30_000): Promise<boolean> =>
  waitForHost(host, `step ${step}`, ({ run }) => (run?.version ?? 0) >= step, timeoutMs);

/** Waits until this worker, by number, had examples applied. */
export const waitForExamples = (host: HostTab, worker: number, examples = 1): Promise<WorkerRow> =>
  waitForHost(host, `${examples} examples of worker ${worker}`, ({ workers }) =>
    workers.find((row) => row.worker === worker && row.examples >= examples),
  );

/** Waits until a worker's tab is in this state. */
export async function waitForStage(tab: WorkerTab, wanted: WorkerStage['kind'], timeoutMs = 30_000): Promise<void> {
  const kind = async () => (await tab.stage()).kind;
  await expect.poll(kind, { message: tab.name, timeout: timeoutMs, intervals: [50] }).toBe(wanted);
}

/** What a worker's tab knows about itself. */
export async function viewOf(tab: WorkerTab): Promise<WorkerView> {
  const view = await tab.page.evaluate(() => (globalThis as WorkerGlobal).manyhands?.worker.view);
  if (view === undefined) throw new Error(`${tab.name} is not a join page`);
  return view;
}

/** The number of the worker in this tab, once the host has welcomed it. */
export async function numberOf(tab: WorkerTab): Promise<number> {
  await expect.poll(async () => (await viewOf(tab)).identity, { intervals: [50] }).not.toBeNull();
  return (await viewOf(tab)).identity?.worker ?? -1;
}

/** Does something with the host inside its page, at once. */
export async function inHost(host: HostTab, act: (control: Host) => void): Promise<void> {
  const control = await host.page.evaluateHandle(() => (globalThis as HostGlobal).manyhands?.host as Host);
  await control.evaluate(act);
}

/** The current run's curves. */
export async function curvesOf(host: HostTab): Promise<{ train: readonly TrainPoint[]; test: readonly TestPoint[] }> {
  const log = await host.page.evaluate(() => (globalThis as HostGlobal).manyhands?.host.log);
  if (!log) throw new Error('the host has no curves');
  return log;
}

/** The number shown under this name at the top of the page, as it is written. */
export const readout = (page: Page, name: string) =>
  page
    .locator('.readout', { has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) })
    .locator('dd')
    .first();

/** A button by its exact words. */
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

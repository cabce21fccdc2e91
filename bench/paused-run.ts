import type { Browser } from 'playwright-core';
import type { Experiment } from '../src/experiment/experiment.ts';
import { type HostGlobal, HostTab, WorkerTab } from '../src/headless/tabs.ts';
import { until } from '../src/host/watch-run.ts';

/** How long a rate is measured. */
export const WINDOW_MS = 2000;
const SETTLE_MS = 400;

/** Starts a run with as many worker tabs as it needs (none for single) and pauses it. */
export async function openRun(browser: Browser, base: string, experiment: Experiment): Promise<HostTab> {
  const fail = (text: string) => console.error(text);
  const host = await HostTab.open(browser, base, experiment, 'wasm', fail);
  if (experiment.strategy !== 'single') {
    const invitation = await host.invitation();
    for (let index = 0; index < experiment.workers; index++) {
      const worker = await WorkerTab.open(browser, base, invitation, { index, backend: 'wasm', problem: fail });
      await worker.contribute();
    }
  }
  await host.start(experiment, experiment.strategy === 'single');
  const isTraining = await until(host.watch, ({ state }) => ((state.run?.version ?? 0) >= 20 ? true : null), {
    timeoutMs: 30_000,
  });
  if (isTraining !== true) throw new Error(`no training after 30 s: ${JSON.stringify((await host.view()).state)}`);
  await host.page.evaluate(() => (globalThis as HostGlobal).manyhands?.host.pause());
  return host;
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Lets a paused run go on for a while; examples per second. */
export async function rateOf(host: HostTab): Promise<number> {
  const look = async () => {
    const { run } = (await host.view()).state;
    return { examples: run?.examples ?? 0, elapsedMs: run?.elapsedMs ?? 0 };
  };
  await host.page.evaluate(() => (globalThis as HostGlobal).manyhands?.host.resume());
  await sleep(SETTLE_MS);
  const before = await look();
  await sleep(WINDOW_MS);
  const after = await look();
  await host.page.evaluate(() => (globalThis as HostGlobal).manyhands?.host.pause());
  await sleep(SETTLE_MS);
  return ((after.examples - before.examples) * 1000) / (after.elapsedMs - before.elapsedMs);
}

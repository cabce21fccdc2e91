import type { Browser } from 'playwright-core';
import { defaultExperiment, type Experiment } from '../src/core/config.ts';
import { ensureBuilt } from '../src/relay/build.ts';
import { startServer } from '../src/relay/serve.ts';
import { type HostGlobal, HostTab, launchBrowser, WorkerTab } from '../src/relay/tabs.ts';
import { servePage } from './bench-page.ts';
import { interleave } from './interleave.ts';

export const name = 'efficiency';
export const describe =
  'examples/s of sync with one worker tab over WebRTC ÷ plain tfjs in one tab, and ÷ our own single; softmax, wasm';

const WINDOW_MS = 2000;
const SETTLE_MS = 400;

/** A run that is paused between measurements. */
async function openRun(browser: Browser, base: string, experiment: Experiment): Promise<HostTab> {
  const fail = (text: string) => console.error(text);
  const host = await HostTab.open(browser, base, experiment, 'wasm', fail);
  if (experiment.strategy !== 'single') {
    const { code } = (await host.glance()).state.room;
    const worker = await WorkerTab.open(browser, base, code, { index: 0, backend: 'wasm', problem: fail });
    await worker.contribute();
  }
  await host.start(experiment, experiment.strategy === 'single');
  const giveUpAtMs = performance.now() + 30_000;
  while (((await host.glance()).state.run?.version ?? 0) < 20) {
    if (performance.now() > giveUpAtMs)
      throw new Error(`no training after 30 s: ${JSON.stringify((await host.glance()).state)}`);
    await sleep(100);
  }
  await host.page.evaluate(() => (globalThis as HostGlobal).manyhands?.host.pause());
  return host;
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Lets a paused run go on for a while; examples per second. */
async function rateOf(host: HostTab): Promise<number> {
  const look = async () => {
    const { run } = (await host.glance()).state;
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

async function compare(browser: Browser, app: string, plainApp: string, batch: number, note: (line: string) => void) {
  const endless = { ...defaultExperiment, workers: 1, batch, epochs: null, evalEvery: 1_000_000 };
  const sync = await openRun(browser, app, { ...endless, strategy: 'sync' });
  const single = await openRun(browser, app, { ...endless, strategy: 'single' });
  const plain = await (await browser.newContext()).newPage();
  await plain.goto(`${plainApp}plain.html`);
  await plain.evaluate(async (size) => {
    const { prepare } = globalThis as unknown as { prepare(batch: number): Promise<(ms: number) => number> };
    Object.assign(globalThis, { rate: await prepare(size) });
  }, batch);
  const plainRate = () =>
    plain.evaluate((ms) => (globalThis as unknown as { rate(ms: number): number }).rate(ms), WINDOW_MS);
  note(`batch ${batch}: sync over WebRTC against plain tfjs`);
  const againstPlain = await interleave(() => rateOf(sync), plainRate, { note });
  note(`batch ${batch}: sync over WebRTC against our own single`);
  const againstSingle = await interleave(
    () => rateOf(sync),
    () => rateOf(single),
    { note },
  );
  return { againstPlain, againstSingle };
}

export async function run(args: readonly string[]): Promise<object> {
  const note = (line: string) => console.error(line);
  const batches = args.length > 0 ? args.map(Number) : [100, 1000];
  const app = await startServer({ port: 0, host: '127.0.0.1', dist: await ensureBuilt(note) });
  const plainApp = await servePage('plain');
  const results: Record<string, object> = {};
  try {
    for (const batch of batches) {
      const browser = await launchBrowser({ isHeaded: false, backend: 'wasm' }, note);
      try {
        results[`batch ${batch}`] = await compare(browser, app.url, plainApp.url, batch, note);
      } finally {
        await browser.close();
      }
    }
  } finally {
    await plainApp.close();
    await app.close();
  }
  return { what: describe, unit: 'examples/s', results };
}

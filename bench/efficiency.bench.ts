import type { Browser } from 'playwright-core';
import { defaultExperiment } from '../src/experiment/experiment.ts';
import { launchBrowser } from '../src/headless/tabs.ts';
import { ensureBuilt } from '../src/node/build.ts';
import { startServer } from '../src/relay/serve.ts';
import { servePage } from './bench-page.ts';
import { interleave } from './interleave.ts';
import { openRun, rateOf, WINDOW_MS } from './paused-run.ts';

export const name = 'efficiency';
export const describe =
  'examples/s of sync with one worker tab over WebRTC ÷ plain tfjs in one tab, and ÷ our own single; softmax, wasm';

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
  if (!batches.every((batch) => Number.isInteger(batch) && batch > 0))
    throw new Error(`batch sizes are whole numbers, like 100 1000, not ${args.join(' ')}`);
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

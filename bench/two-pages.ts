import type { Page } from 'playwright-core';
import { launchBrowser } from '../src/headless/tabs.ts';
import { servePage } from './bench-page.ts';
import type { MeasuringPage } from './pages/measured.ts';

type Global = { readonly page: MeasuringPage };

/** One side of a comparison, in a tab of its own. */
export type Side = { readonly [Name in keyof MeasuringPage]: MeasuringPage[Name] };

/** Opens the trainer and stock tfjs in two tabs of one browser, lets them be measured, and closes everything. */
export async function withTwoPages<Result>(measure: (ours: Side, stock: Side) => Promise<Result>): Promise<Result> {
  const servers = [await servePage('ours'), await servePage('stock')] as const;
  const browser = await launchBrowser({ isHeaded: false, backend: 'wasm' }, (line) => console.error(line));
  try {
    const open = async (url: string): Promise<Side> => {
      const page = await (await browser.newContext()).newPage();
      page.on('pageerror', (error) => console.error(error.message));
      await page.goto(url);
      await page.waitForFunction(() => 'page' in globalThis);
      return sideOf(page);
    };
    return await measure(await open(`${servers[0].url}ours.html`), await open(`${servers[1].url}stock.html`));
  } finally {
    await browser.close();
    await Promise.all(servers.map((server) => server.close()));
  }
}

const sideOf = (tab: Page): Side => ({
  prepare: (task) => tab.evaluate((given) => (globalThis as unknown as Global).page.prepare(given), task),
  stepRate: (ms) => tab.evaluate((given) => (globalThis as unknown as Global).page.stepRate(given), ms),
  prepareOperator: (index) =>
    tab.evaluate((given) => (globalThis as unknown as Global).page.prepareOperator(given), index),
  operatorRate: (ms) => tab.evaluate((given) => (globalThis as unknown as Global).page.operatorRate(given), ms),
  matMulRate: (ms) => tab.evaluate((given) => (globalThis as unknown as Global).page.matMulRate(given), ms),
});

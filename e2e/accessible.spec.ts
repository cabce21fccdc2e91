import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { button, startTraining, waitForPhase, waitForStage } from './verbs.ts';

/** What axe puts beside the page's own names. */
interface AxeGlobal {
  readonly axe?: {
    run(): Promise<{
      readonly violations: readonly {
        readonly id: string;
        readonly impact?: string | null;
        readonly nodes: readonly { readonly html: string }[];
      }[];
    }>;
  };
}

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Faults of the page that shut people out, each with the elements that have it. */
async function faultsOf(page: Page): Promise<string[]> {
  // As text to evaluate: the page's own policy lets no other script in.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const found = await (globalThis as AxeGlobal).axe?.run();
    if (found === undefined) return ['axe is not there'];
    return found.violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
  });
}

const sweep = { name: 'tiny', title: 'Tiny', base: { strategy: 'single', maxSteps: 20, evalEvery: 10 } };

test('the host page with a run, each tab of its inspector, and the join page shut nobody out', async ({ tabs }) => {
  const host = await tabs.openHost();
  const offer = await tabs.openWorker(host);
  expect(await faultsOf(offer.page)).toEqual([]);
  const [worker] = await tabs.contribute(host, 1);
  if (worker === undefined) throw new Error('no worker came');
  await startTraining(host, { workers: 2, maxSteps: 300, evalEvery: 20 }, true);
  await waitForStage(worker, 'training');
  expect(await faultsOf(worker.page)).toEqual([]);
  await waitForPhase(host, 'finished');
  await host.page.getByText('Why, and what to try').click();
  for (const scheme of ['light', 'dark'] as const) {
    await host.page.emulateMedia({ colorScheme: scheme });
    for (const tab of await host.page.getByRole('tab').all()) {
      await tab.click();
      expect(await faultsOf(host.page), `${scheme}, ${await tab.textContent()}`).toEqual([]);
    }
  }
});

test('the lab page and its report shut nobody out', async ({ tabs }) => {
  const { page } = await tabs.watch('/#lab&backend=wasm');
  await page.locator('input[type=file]').setInputFiles({
    name: 'tiny.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(sweep)),
  });
  await expect(page.locator('.signal')).toHaveText('Room is open');
  expect(await faultsOf(page)).toEqual([]);
  await button(page, 'Start').click();
  await expect(page.getByText(/The run is over/)).toBeVisible({ timeout: 20_000 });
  expect(await faultsOf(page)).toEqual([]);
  const opened = page.context().waitForEvent('page');
  await button(page, 'Open the report').click();
  const report = await opened;
  await expect(report.getByRole('heading', { level: 1 })).toHaveText('Tiny');
  expect(await faultsOf(report)).toEqual([]);
});

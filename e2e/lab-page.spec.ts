import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { LabFolder } from '../src/cli/lab-folder.ts';
import type { HostGlobal } from '../src/headless/tabs.ts';
import { layOut } from '../src/lab/layout.ts';
import { parseSweep } from '../src/lab/sweep.ts';
import type { RunReport } from '../src/observe/run-report.ts';
import { expect, type Tabs, test } from './fixtures.ts';
import { button } from './verbs.ts';

const sweep = {
  name: 'tiny',
  title: 'One tab or two',
  base: { strategy: 'sync', maxSteps: 40, evalEvery: 20 },
  vary: { workers: [1, 2] },
};

/** A Lab page with a sweep from a file, and as many tabs that contribute. */
async function openLab(tabs: Tabs, text: string, workers: number): Promise<Page> {
  const { page } = await tabs.watch('/#lab&backend=wasm');
  await page.locator('.file input').setInputFiles({
    name: 'tiny.json',
    mimeType: 'application/json',
    buffer: Buffer.from(text),
  });
  await expect(page.locator('.signal')).toHaveText('Room is open');
  const code = await page.evaluate(() => (globalThis as HostGlobal).manyhands?.host.state.room.code);
  for (let opened = 0; opened < workers; opened++) {
    const { page: worker } = await tabs.watch(`/#join=${code}&backend=wasm`);
    await button(worker, 'Contribute').click();
  }
  return page;
}

/** A run's row, by its name. */
const row = (page: Page, name: string) => page.locator('[data-run]').filter({ hasText: name });

test('a sweep runs with the tabs that are there, survives a reload, and is reported', async ({ tabs }) => {
  const page = await openLab(tabs, JSON.stringify(sweep), 2);
  await expect(page.getByRole('status').first()).toHaveText(/2\sruns with up to 2\sworker tabs\. Nothing is computed/);
  await expect(page.getByText('2 connected now')).toBeVisible();
  expect(page.url()).toMatch(/#lab&backend=wasm$/);
  await button(page, 'Start').click();
  await expect(row(page, '1 worker')).toHaveAttribute('data-state', 'done', { timeout: 20_000 });
  await expect(row(page, '2 workers')).toHaveAttribute('data-state', 'done', { timeout: 20_000 });
  await expect(page.getByText(/All 2\sruns are over/)).toBeVisible();

  await page.reload();
  for (const name of ['1 worker', '2 workers']) {
    await expect(row(page, name)).toHaveAttribute('data-state', 'done');
    await expect(row(page, name).getByRole('cell').nth(3)).toHaveText('40');
    await expect(row(page, name).getByRole('cell').nth(6)).toHaveText(/^[5-9]\d\.\d\s%$/);
  }

  const opened = page.context().waitForEvent('page');
  await button(page, 'Open the report').click();
  const report = await opened;
  await expect(report.getByRole('heading', { level: 1 })).toHaveText('One tab or two');
  for (const name of ['1 worker', '2 workers']) {
    await expect(report.getByRole('table').first().getByRole('row').filter({ hasText: name })).toContainText('40');
  }

  const download = page.waitForEvent('download');
  await button(page, 'Everything (zip)').click();
  const files = unzipSync(new Uint8Array(await readFile(await (await download).path())));
  const runs = ['runs/01-1-worker/run.json', 'runs/02-2-workers/run.json'].map(
    (path) => JSON.parse(new TextDecoder().decode(files[path])) as RunReport,
  );
  expect(Object.keys(files)).toEqual(expect.arrayContaining(['report.html', 'report.md', 'sweep.json']));
  expect(runs.map(({ steps, workers }) => [steps, ...workers.map((worker) => worker.steps)])).toEqual([
    [40, 40],
    [40, 40, 40],
  ]);
  expect(runs[0]?.id).not.toBe(runs[1]?.id);
  for (const key of ['01-1-worker', '02-2-workers']) {
    expect(files[`runs/${key}/model/weights.bin`]?.length).toBeGreaterThanOrEqual(7850 * 4);
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining([`runs/${key}/model/model.json`, `runs/${key}/model/model.safetensors`]),
    );
  }
  expect(await keptByCommand(files)).toEqual([40, 40]);
  expect(tabs.problems).toEqual([]);
});

/** Steps of the runs that the command line would not do again, were it to go on in a folder of these files. */
async function keptByCommand(files: Readonly<Record<string, Uint8Array>>): Promise<(number | undefined)[]> {
  const folder = await mkdtemp(join(tmpdir(), 'lab-'));
  try {
    for (const [path, bytes] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), bytes);
    }
    const asked = parseSweep(sweep);
    const setting = { sweep: asked, isQuick: false, host: 'tab', backend: 'wasm', file: null } as const;
    const opened = await LabFolder.open(folder, setting, Date.now());
    const { outcomes } = await opened.load(layOut(asked));
    await opened.close();
    return outcomes.map(({ report }) => report?.steps);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('a lab belongs to one tab: another that shows it neither runs nor deletes it meanwhile', async ({ tabs }) => {
  const page = await openLab(tabs, JSON.stringify({ ...sweep, base: { ...sweep.base, maxSteps: 100_000 } }), 1);
  await button(page, 'Start').click();
  await expect(row(page, '1 worker')).toHaveAttribute('data-state', 'running', { timeout: 20_000 });
  const other = await page.context().newPage();
  await other.goto(page.url());
  await button(other, 'Resume').click();
  await expect(other.getByText('is being run in another tab of this browser: it goes on there.')).toBeVisible();
  other.on('dialog', (dialog) => void dialog.accept());
  await other.getByRole('button', { name: /^Delete tiny/ }).click();
  await expect(other.getByText('stop it there first')).toBeVisible();
  await button(page, 'Stop').click();
  await expect(page.getByText(/0 of 2\sruns are over/)).toBeVisible();
  await other.getByRole('button', { name: /^Delete tiny/ }).click();
  await expect(button(other, 'Start')).toBeVisible();
  expect(tabs.problems).toEqual([]);
});

test('a run waits for the tabs it needs, Stop breaks it off, and a bad file says where it is wrong', async ({
  tabs,
}) => {
  const page = await openLab(tabs, '{\n  "name": "tiny",\n  "vary": { "batch": [0] }\n}', 0);
  await expect(page.getByRole('alert')).toContainText('line 3, vary.batch[0] must be a whole number from 1');
  await page.locator('.file input').setInputFiles({
    name: 'tiny.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(sweep)),
  });
  await button(page, 'Start').click();
  await expect(page.getByText(/1 worker: needs 1\sworker, 0 are here\. Open another tab/)).toBeVisible();
  await button(page, 'Stop').click();
  await expect(button(page, 'Resume')).toBeVisible();
  await expect(page.getByText(/0 of 2\sruns are over/)).toBeVisible();
  expect(tabs.problems).toEqual([]);
});

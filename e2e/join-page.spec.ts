import { expect, type HostTab, test, type WorkerTab } from './fixtures.ts';
import {
  button,
  numberOf,
  startTraining,
  viewOf,
  waitForExamples,
  waitForHost,
  waitForPhase,
  waitForStage,
  waitForStep,
} from './verbs.ts';

/** The one state a join page shows, in words. */
const words = (tab: WorkerTab) => tab.page.getByRole('status');

/** The host sends the worker away. */
async function remove(host: HostTab, worker: WorkerTab): Promise<void> {
  await waitForExamples(host, await numberOf(worker), 500);
  const { name } = (await viewOf(worker)).identity ?? { name: '?' };
  await button(host.page, `Remove ${name}`).click();
  await expect(words(worker)).toContainText('The host removed this worker');
}

test('tabs join by the link after a click, are listed, and get examples', async ({ tabs }) => {
  const host = await tabs.openHost({ experiment: { workers: 2, epochs: null } });
  const link = await host.page.getByRole('textbox', { name: 'Join link' }).inputValue();
  await startTraining(host, { workers: 2 });
  const joining = await Promise.all([tabs.watch(link), tabs.watch(link)]);
  for (const { page } of joining) await button(page, 'Contribute').click();
  await waitForExamples(host, 1, 1000);
  await waitForExamples(host, 2, 1000);

  const table = host.page.getByRole('region', { name: 'Workers' });
  for (const { page } of joining) {
    await expect(page.getByRole('status').getByRole('heading')).toHaveText('Training');
    const name = await page.locator('.me').textContent();
    const row = table.getByRole('row', { name: new RegExp(name?.trim() ?? '?') });
    await expect(row).toContainText('wasm');
    await expect(row.getByRole('cell').nth(3)).toHaveText(/[1-9]/);
  }
  await host.page.getByText('Accuracy as a table').click();
  const tested = host.page.getByRole('table').filter({ hasText: 'Test accuracy' }).getByRole('row');
  await expect.poll(() => tested.count()).toBeGreaterThan(2);
  expect(tabs.problems).toEqual([]);
});

test('nothing is connected, started or loaded by a join page before the click', async ({ tabs }) => {
  const host = await tabs.openHost();
  await startTraining(host);
  const { code } = (await host.view()).state.room;
  const { page, requests, sockets, threads } = await tabs.watch(`/#join=${code}`);
  await expect(button(page, 'Contribute')).toBeVisible();
  await page.waitForLoadState('networkidle');
  expect(sockets).toEqual([]);
  expect(threads).toEqual([]);
  expect(requests.filter((path) => !/^\/($|assets\/[^/]*\.(js|css)$|icon\.svg$)/.test(path))).toEqual([]);
  expect(requests.filter((path) => /trainer|server|wasm|tfjs/.test(path))).toEqual([]);
  expect((await host.view()).state.workers).toEqual([]);

  await button(page, 'Contribute').click();
  await expect.poll(() => [sockets.length, threads.length]).toEqual([1, 1]);
  await waitForExamples(host, 1);
});

test('Pause computes nothing and keeps the place, Resume goes on, Leave says so', async ({ tabs }) => {
  const host = await tabs.openHost();
  await startTraining(host, { workers: 2 });
  const [worker, other] = (await tabs.contribute(host, 2)) as [WorkerTab, WorkerTab];
  const [number, otherNumber] = [await numberOf(worker), await numberOf(other)];
  await waitForExamples(host, number, 500);
  await expect(words(worker)).toContainText('Training');

  await button(worker.page, 'Pause').click();
  await expect(words(worker)).toContainText('Paused');
  await waitForHost(host, 'the table says paused', ({ workers }) =>
    workers.some((row) => row.worker === number && row.phase === 'paused'),
  );
  const held = await waitForExamples(host, number);
  const others = (await waitForExamples(host, otherNumber)).examples;
  await waitForExamples(host, otherNumber, others + 2000);
  expect((await waitForExamples(host, number)).examples).toBe(held.examples);

  await button(worker.page, 'Resume').click();
  const resumed = await waitForExamples(host, number, held.examples + 1000);
  expect(resumed.rejected).toBe(0);
  await expect(words(worker)).toContainText('Training');

  await button(worker.page, 'Leave').click();
  await expect(words(worker)).toContainText('You have left');
  await waitForHost(host, 'the table says gone', ({ workers }) =>
    workers.some((row) => row.worker === number && row.phase === 'gone'),
  );
  const left = await waitForExamples(host, otherNumber);
  await waitForExamples(host, otherNumber, left.examples + 1000);
  await button(worker.page, 'Contribute again').click();
  await waitForStage(worker, 'training');
  expect(tabs.problems).toEqual([]);
});

test('Finish hands in the step under way, then leaves', async ({ tabs }) => {
  const host = await tabs.openHost();
  await startTraining(host, { workers: 1 });
  const [worker] = (await tabs.contribute(host, 1)) as [WorkerTab];
  const number = await numberOf(worker);
  await waitForExamples(host, number, 500);
  await expect(words(worker)).toContainText('Training');
  await button(worker.page, 'Finish').click();
  await expect(words(worker)).toContainText('You have left');
  const gone = await waitForHost(host, 'the worker is gone', ({ workers }) =>
    workers.find((row) => row.worker === number && row.phase === 'gone'),
  );
  const { steps, examples } = await viewOf(worker);
  expect({ steps: gone.applied, examples: gone.examples }).toEqual({ steps, examples });
  await waitForPhase(host, 'waiting');
  expect(tabs.problems).toEqual([]);
});

test('a removed worker stops, says so, and is not asked back', async ({ tabs }) => {
  const host = await tabs.openHost();
  await startTraining(host, { workers: 2 });
  const [worker] = (await tabs.contribute(host, 2)) as [WorkerTab];
  await remove(host, worker);
  await expect(worker.page.getByRole('button')).toHaveCount(0);
  await waitForHost(host, 'one worker is listed', ({ workers }) => workers.length === 1);
  const { run } = (await host.view()).state;
  await waitForStep(host, (run?.version ?? 0) + 20);
  expect((await host.view()).state.workers).toHaveLength(1);
});

test('a removed worker cannot come back by reloading its page', async ({ tabs }) => {
  const host = await tabs.openHost();
  await startTraining(host, { workers: 1 });
  const [worker] = (await tabs.contribute(host, 1)) as [WorkerTab];
  await remove(host, worker);
  await worker.page.reload();
  await button(worker.page, 'Contribute').click();
  await expect(words(worker)).toContainText('The host removed this worker', { timeout: 5000 });
});

test('a code nobody has is answered with words', async ({ tabs }) => {
  const { page } = await tabs.watch('/#join=zzzzzz');
  await button(page, 'Contribute').click();
  await expect(page.getByRole('status')).toContainText(/host is not there/i);
  await expect(button(page, 'Leave')).toBeVisible();
});

test('whoever has a wrong code is told to check it', async ({ tabs }) => {
  const { page } = await tabs.watch('/#join=zzzzzz');
  await button(page, 'Contribute').click();
  await expect(page.getByRole('status')).toContainText(/code is wrong/i);
});

test('something that is no code leads to a page that asks for one', async ({ tabs }) => {
  const host = await tabs.openHost();
  const { code } = (await host.view()).state.room;
  const { page } = await tabs.watch('/#join=nonsense');
  const field = page.getByRole('textbox', { name: /code/i });
  await field.fill('abc');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status')).toContainText('six letters and digits');
  await field.fill(`${code.slice(0, 3).toUpperCase()} ${code.slice(3)}`);
  await page.keyboard.press('Enter');
  await expect(button(page, 'Contribute')).toBeVisible();
  await expect(page.getByRole('main')).toContainText(code);
});

import { chromium } from '@playwright/test';
import { chromiumArgs, findChromium } from '../src/headless/chromium.ts';
import { expect, type HostTab, test, type WorkerTab } from './fixtures.ts';
import {
  button,
  numberOf,
  startTraining,
  viewOf,
  waitForExamples,
  waitForHost,
  waitForPhase,
  waitForStep,
} from './verbs.ts';

const EPOCH = 60_000;

/** Every applied push counts for its own examples, once, with the run and with its worker. */
async function expectEveryExampleOnce(host: HostTab, examples: number): Promise<void> {
  const { run, workers } = (await host.view()).state;
  expect(run?.examples).toBe(examples);
  expect((run?.counters.applied ?? 0) * (run?.experiment.batch ?? 0)).toBe(examples);
  expect(workers.reduce((sum, row) => sum + row.examples, 0)).toBe(examples);
  expect(workers.reduce((sum, row) => sum + row.applied, 0)).toBe(run?.counters.applied);
}

for (const strategy of ['sync', 'async'] as const) {
  test(`${strategy}: closing a worker’s tab and killing another’s browser cost their own steps only`, async ({
    tabs,
  }) => {
    const host = await tabs.openHost();
    const args = chromiumArgs();
    const elsewhere = await chromium.launchServer({ executablePath: await findChromium(), args });
    const far = await chromium.connect(elsewhere.wsEndpoint());
    await startTraining(host, { strategy, workers: 3, batch: 50, epochs: 1 });
    const [closing] = (await tabs.contribute(host, 2)) as [WorkerTab, WorkerTab];
    const killed = await tabs.openWorker(host, far);
    await killed.contribute();
    const [closingNumber, killedNumber] = [await numberOf(closing), await numberOf(killed)];

    await waitForStep(host, 20);
    await closing.page.close();
    await waitForHost(host, 'the closed tab is gone', ({ workers }) =>
      workers.some(({ worker, phase }) => worker === closingNumber && phase === 'gone'),
    );
    await waitForExamples(host, killedNumber, 1000);
    await elsewhere.kill();
    await waitForPhase(host, 'finished', 75_000);

    const { run, workers } = (await host.view()).state;
    expect(run?.stopReason).toBe('epochs');
    expect(run?.counters.leasesReturned).toBeGreaterThanOrEqual(2);
    await expectEveryExampleOnce(host, EPOCH);
    const lost = workers.filter(({ worker }) => worker === closingNumber || worker === killedNumber);
    for (const { examples } of lost) expect(examples).toBeLessThan(EPOCH / 2);
    // The killed browser's last words go to the one place that saw it die.
    expect(tabs.problems.filter((problem) => !problem.startsWith(killed.name))).toEqual([]);
  });
}

test('after a reload the host resumes, and its workers come back by themselves', async ({ tabs }) => {
  const host = await tabs.openHost();
  await startTraining(host, { workers: 2 });
  const workers = (await tabs.contribute(host, 2)) as [WorkerTab, WorkerTab];
  const numbers = await Promise.all(workers.map(numberOf));
  const identities = await Promise.all(workers.map(async (worker) => (await viewOf(worker)).identity));
  // Checkpoints are written every five seconds.
  await waitForHost(host, 'seven seconds of training', ({ run }) => (run?.elapsedMs ?? 0) > 7000);
  const before = (await host.view()).state.run;
  await host.page.reload();

  await expect(host.page.getByText('A run was interrupted.')).toBeVisible();
  const saved = await waitForHost(host, 'a saved run', ({ resumable }) => resumable);
  expect(saved.id).toBe(before?.id);
  expect(saved.version).toBeGreaterThan(0);
  expect(saved.version).toBeLessThanOrEqual((before?.version ?? 0) + 100);
  await button(host.page, 'Resume it').click();
  // The host's own tab trains with them from here on: it is what a page does by itself.
  await waitForStep(host, saved.version + 1);
  for (const number of numbers) await waitForExamples(host, number, 1000);
  expect(await Promise.all(workers.map(async (worker) => (await viewOf(worker)).identity))).toEqual(identities);
  await button(host.page, 'Finish').click();
  await waitForPhase(host, 'finished');

  const { run } = (await host.view()).state;
  expect(run?.id).toBe(before?.id);
  expect(run?.version).toBeGreaterThan(saved.version);
  expect(run?.examples).toBe((run?.counters.applied ?? 0) * 100);
  expect(run?.counters.updates).toBe(run?.version);
  await host.page.reload();
  await expect(button(host.page, 'Start')).toBeVisible();
  await expect(host.page.getByText('A run was interrupted.')).toHaveCount(0);
});

test('a worker that comes late gets work', async ({ tabs }) => {
  const host = await tabs.openHost();
  await startTraining(host, { workers: 1, batch: 50 });
  await tabs.contribute(host, 1);
  await waitForStep(host, 20);
  const [late] = (await tabs.contribute(host, 1)) as [WorkerTab];
  await waitForExamples(host, await numberOf(late), 500);
  await button(host.page, 'Finish').click();
  await waitForPhase(host, 'finished');
  const { run } = (await host.view()).state;
  await expectEveryExampleOnce(host, run?.examples ?? 0);
  // What they computed when the run ended comes a moment later, in vain.
  const phases = async () => (await host.view()).state.workers.map(({ phase }) => phase);
  await expect.poll(phases).toEqual(['ready', 'ready']);
  expect(tabs.problems).toEqual([]);
});

import { expect, test } from './fixtures.ts';
import { button, curvesOf, inHost, readout, startTraining, trainAgain, waitForPhase, waitForStep } from './verbs.ts';

/** As written: "91.7 %". */
const percentOf = (text: string | null): number => Number.parseFloat(text ?? '') / 100;

test('one click trains something real within ten seconds', async ({ tabs }) => {
  const { page } = await tabs.watch('/');
  const start = button(page, 'Start');
  await expect(start).toBeVisible();
  const clickedAtMs = performance.now();
  await start.click();
  const accuracy = async () => percentOf(await readout(page, 'Accuracy').textContent());
  await expect.poll(accuracy, { timeout: 10_000, intervals: [50] }).toBeGreaterThan(0.5);
  const tookMs = performance.now() - clickedAtMs;
  console.log(`accuracy over 50 % shown ${(tookMs / 1000).toFixed(1)} s after the click`);
  expect(tookMs).toBeLessThan(10_000);
  await expect(page).toHaveTitle(/step [\d,]+ · loss \d/);
  await expect(page.getByRole('region', { name: 'Workers' }).getByRole('row')).toHaveCount(2);
  expect(tabs.problems).toEqual([]);
});

test('a sync and an async run can be compared', async ({ tabs }) => {
  const host = await tabs.openHost({ experiment: { maxSteps: 150, evalEvery: 50, epochs: null } });
  const { page } = host;
  await button(page, 'Start').click();
  await waitForPhase(host, 'finished');
  const first = await curvesOf(host);
  await page.getByRole('radio', { name: /^async/ }).check();
  await trainAgain(host);
  const second = await curvesOf(host);
  for (const { train, test } of [first, second]) {
    expect(train.map(({ step }) => step)).toEqual(Array.from({ length: 150 }, (_, index) => index + 1));
    expect(test.map(({ step }) => step)).toEqual([0, 50, 100, 150]);
    expect(test.at(-1)?.accuracy).toBeGreaterThan(0.8);
  }
  const runs = page.getByRole('region', { name: 'Runs' });
  await expect(runs.getByRole('checkbox', { name: /sync ×1/ })).toHaveCount(2);
  await expect(runs.getByRole('checkbox', { name: /async ×1/ })).toBeChecked();
  await expect(runs.getByRole('checkbox', { name: /^Show sync ×1/ })).toBeChecked();
  await page.getByText('Loss as a table').click();
  await expect(page.getByRole('table').filter({ hasText: 'Test loss' }).getByRole('caption')).not.toHaveCount(0);
  expect(tabs.problems).toEqual([]);
});

test('Pause holds the run, Resume goes on, Finish ends it with a test, Reset clears the page', async ({ tabs }) => {
  const host = await tabs.openHost({ experiment: { epochs: null } });
  const { page } = host;
  const words = page.locator('header').getByRole('paragraph').nth(1);
  await expect(words).toHaveText(/ready to start/i);
  await button(page, 'Start').click();
  await waitForStep(host, 20);
  await expect(words).toHaveText(/training with 1\sworker/i);

  await button(page, 'Pause').click();
  await waitForPhase(host, 'paused');
  await expect(words).toHaveText(/paused/i);
  // The round under way may still come in.
  await expect.poll(async () => (await host.view()).state.workers[0]?.phase).toBe('ready');
  const { run: held } = (await host.view()).state;
  await button(page, 'Resume').click();
  await waitForStep(host, (held?.version ?? 0) + 20);
  expect((await curvesOf(host)).train.map(({ step }) => step).slice(0, 40)).toEqual(
    Array.from({ length: 40 }, (_, index) => index + 1),
  );

  await button(page, 'Finish').click();
  await waitForPhase(host, 'finished');
  await expect(words).toHaveText(/finished by hand/i);
  const { run, workers } = (await host.view()).state;
  expect((await curvesOf(host)).test.at(-1)?.step).toBe(run?.version);
  expect(run?.examples).toBe((run?.counters.applied ?? 0) * 100);
  expect(workers[0]?.examples).toBe(run?.examples);

  await button(page, 'Reset').click();
  await expect(words).toHaveText(/ready to start/i);
  await expect(button(page, 'Start')).toBeEnabled();
  expect(tabs.problems).toEqual([]);
});

test('Pause and Resume in one breath keep the run going', async ({ tabs }) => {
  const host = await tabs.openHost();
  await startTraining(host, {}, true);
  await waitForStep(host, 5);
  for (let turn = 0; turn < 10; turn++) {
    await inHost(host, (control) => {
      control.pause();
      control.resume();
    });
    const { run } = (await host.view()).state;
    await waitForStep(host, (run?.version ?? 0) + 5, 10_000);
  }
  await waitForPhase(host, 'running');
  expect(tabs.problems).toEqual([]);
});

test('Reset while training asks first, and the next run starts from nothing', async ({ tabs }) => {
  const host = await tabs.openHost();
  const { page } = host;
  await startTraining(host, {}, true);
  await expect(readout(page, 'Step')).toHaveText(/[1-9]/);
  await button(page, 'Reset').click();
  await button(page, 'Keep it').click();
  const { run } = (await host.view()).state;
  await waitForStep(host, (run?.version ?? 0) + 5);
  await button(page, 'Reset').click();
  await button(page, 'Drop this run').click();
  await expect(button(page, 'Start')).toBeVisible();
  expect((await host.view()).state.run).toBeNull();
  await button(page, 'Start').click();
  await waitForStep(host, 5);
  expect((await curvesOf(host)).train[0]?.step).toBe(1);
  expect(tabs.problems).toEqual([]);
});

test('an experiment in the address that cannot be run is said in words, and the usual one can be', async ({ tabs }) => {
  const { page } = await tabs.watch('/#batch=-3&strategy=telepathy');
  await expect(page.getByText(/address holds an experiment that cannot be run/)).toBeVisible();
  await expect(page.getByText(/batch must|strategy must/).first()).toBeVisible();
  await expect(button(page, 'Start')).toBeEnabled();
  const { page: unknown } = await tabs.watch('/#model=crystal-ball');
  await expect(unknown.getByText(/crystal-ball/).first()).toBeVisible();
  expect(tabs.problems).toEqual([]);
});

test('a bad number in the form is marked and cannot be started', async ({ tabs }) => {
  const { page } = await tabs.watch('/');
  await page.getByRole('textbox', { name: 'Batch size' }).fill('many');
  await expect(page.getByRole('textbox', { name: 'Batch size' })).toHaveAttribute('aria-invalid', 'true');
  await expect(button(page, 'Start')).toBeDisabled();
  await page.getByRole('textbox', { name: 'Batch size' }).fill('250');
  await expect(button(page, 'Start')).toBeEnabled();
  await expect(page).toHaveURL(/batch=250/);
});

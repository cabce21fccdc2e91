import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { button, startTraining, waitForExamples, waitForStep } from './verbs.ts';

const PHONE = { width: 390, height: 844 };

/** Lines of the accessibility tree that are controls without a name. */
async function namelessControls(page: Page): Promise<string[]> {
  const tree = await page.locator('body').ariaSnapshot();
  const controls = tree
    .split('\n')
    .filter((line) => /^\s*- (button|textbox|checkbox|radio|combobox|slider|link)/.test(line));
  expect(controls.length).toBeGreaterThan(0);
  return controls.filter((line) => !/- \w+ "[^"]+"/.test(line));
}

const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

test('every control of every page has a name', async ({ tabs }) => {
  const host = await tabs.openHost();
  expect(await namelessControls(host.page)).toEqual([]);
  await startTraining(host, {}, true);
  const worker = await tabs.openWorker(host);
  expect(await namelessControls(worker.page)).toEqual([]);
  await worker.contribute();
  await waitForExamples(host, 1);
  for (const summary of await host.page.locator('summary').all()) await summary.click();
  expect(await namelessControls(host.page)).toEqual([]);
  expect(await namelessControls(worker.page)).toEqual([]);
  const { page } = await tabs.watch('/#join');
  expect(await namelessControls(page)).toEqual([]);
});

test('training can be started with the keyboard, by its button and by its shortcut', async ({ tabs }) => {
  const host = await tabs.openHost();
  const start = button(host.page, 'Start');
  const hasFocus = () => start.evaluate((element) => element === document.activeElement);
  for (let presses = 0; presses < 60 && !(await hasFocus()); presses++) await host.page.keyboard.press('Tab');
  await expect(start).toBeFocused();
  await host.page.keyboard.press('Enter');
  await waitForStep(host, 1);

  const other = await tabs.openHost();
  await other.page.keyboard.press('Space');
  await waitForStep(other, 1);
});

test('on a phone no page is wider than the screen', async ({ tabs }) => {
  const { page } = await tabs.watch('/', PHONE);
  expect(await overflow(page)).toBe(0);
  await expect(button(page, 'Start')).toBeInViewport();
  const link = await page.getByRole('textbox', { name: 'Join link' }).inputValue();
  const { page: join } = await tabs.watch(link, PHONE);
  await expect(button(join, 'Contribute')).toBeInViewport();
  expect(await overflow(join)).toBe(0);
  await button(page, 'Start').click();
  await button(join, 'Contribute').click();
  await expect(join.getByRole('status')).toContainText('Training');
  await expect(page.getByRole('region', { name: 'Workers' }).getByRole('row')).toHaveCount(3);
  for (const summary of await page.locator('summary').all()) await summary.click();
  expect(await overflow(page)).toBe(0);
  expect(await overflow(join)).toBe(0);
  for (const name of ['Pause', 'Finish', 'Leave']) await expect(button(join, name)).toBeVisible();
  const { page: code } = await tabs.watch('/#join', PHONE);
  expect(await overflow(code)).toBe(0);
});

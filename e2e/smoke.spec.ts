import { expect, test } from './fixtures.ts';

test('the host page opens, is reachable, and complains about nothing', async ({ tabs }) => {
  const host = await tabs.openHost();
  await expect(host.page).toHaveTitle(/Manyhands/i);
  expect((await host.glance()).state.room.code).not.toBe('');
  expect(tabs.problems).toEqual([]);
});

test('the join page offers one button and loads nothing heavy before it is pressed', async ({ tabs }) => {
  const host = await tabs.openHost();
  const worker = await tabs.openWorker(host);
  await expect(worker.page.getByRole('button', { name: 'Contribute', exact: true })).toBeVisible();
  const loaded = await worker.page.evaluate(() => performance.getEntriesByType('resource').map((entry) => entry.name));
  expect(loaded.filter((name) => /trainer|\.wasm|\/data\//.test(name))).toEqual([]);
  expect(tabs.problems).toEqual([]);
});

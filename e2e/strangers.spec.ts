import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { expect, type HostTab, test } from './fixtures.ts';
import { button, startTraining, waitForExamples, waitForHost } from './verbs.ts';

const linkOf = (host: HostTab): Promise<string> => host.page.getByRole('textbox', { name: 'Join link' }).inputValue();

/** How many connections the host's page makes from now on. */
async function countConnections(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const counted = { made: 0 };
    Object.assign(globalThis, { counted });
    globalThis.RTCPeerConnection = class extends RTCPeerConnection {
      constructor(config?: RTCConfiguration) {
        super(config);
        counted.made += 1;
      }
    };
  });
  return () => page.evaluate(() => (globalThis as unknown as { counted: { made: number } }).counted.made);
}

type Tally = Readonly<Record<'opened' | 'refused' | 'offers' | 'candidates' | 'bigFrames' | 'idle', number>>;

/** A process that does to the relay what only a stranger would; `tally` is what has become of it. */
function stranger(relay: string, code: string) {
  const script = fileURLToPath(new URL('stranger.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, relay, code], { stdio: ['pipe', 'pipe', 'inherit'] });
  let tally: Tally = { opened: 0, refused: 0, offers: 0, candidates: 0, bigFrames: 0, idle: 0 };
  createInterface(child.stdout).on('line', (line) => {
    tally = JSON.parse(line);
  });
  return { tally: () => tally, kill: () => child.kill('SIGKILL') };
}

test('strangers can neither come in, nor keep others out, nor fill memory', async ({ tabs, server }) => {
  const host = await tabs.openHost();
  await startTraining(host);
  const link = await linkOf(host);
  const { code } = (await host.view()).state.room;
  const connections = await countConnections(host.page);
  const { page } = await tabs.watch(link);
  const before = process.memoryUsage().rss;
  let highest = before;
  const watch = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage().rss);
  }, 50);
  const flood = stranger(server.url, code);
  try {
    const hasTriedAll = () => {
      const { opened, refused, offers, candidates, bigFrames, idle } = flood.tally();
      return offers >= 700 && candidates > 0 && bigFrames >= 2 && idle === 300 && opened + refused >= 300;
    };
    await expect.poll(hasTriedAll, { timeout: 30_000 }).toBe(true);
    const clickedAtMs = performance.now();
    await button(page, 'Contribute').click();
    await waitForHost(host, 'the worker is in', ({ workers }) => workers.some(({ phase }) => phase !== 'gone'));
    const joinedMs = performance.now() - clickedAtMs;
    const grownMiB = (highest - before) / 2 ** 20;
    const numbers = { joinedMs: Math.round(joinedMs), grownMiB: Math.round(grownMiB), ...flood.tally() };
    console.log(`strangers: ${JSON.stringify(numbers)}`);
    expect(joinedMs).toBeLessThan(5000);
    expect(await connections()).toBe(1);
    expect(grownMiB).toBeLessThanOrEqual(50);
  } finally {
    clearInterval(watch);
    flood.kill();
  }
  await waitForExamples(host, 1, 500);
});

test('a removed worker is out for its whole browser, and with a new link for good', async ({ tabs }) => {
  const host = await tabs.openHost();
  await startTraining(host, { workers: 2 });
  const link = await linkOf(host);
  const [kicked, other] = await Promise.all([tabs.watch(link), tabs.watch(link)]);
  await button(kicked.page, 'Contribute').click();
  await waitForHost(host, 'the first worker', ({ workers }) => workers.length === 1);
  await button(other.page, 'Contribute').click();
  await waitForExamples(host, 1);
  const name = (await kicked.page.locator('.me').textContent())?.trim();
  await button(host.page, `Remove ${name}`).click();
  await expect(kicked.page.getByRole('status')).toContainText('The host removed this worker');

  const again = await kicked.page.context().newPage();
  await again.goto(link);
  await button(again, 'Contribute').click();
  await expect(again.getByRole('status')).toContainText('The host removed this worker');

  await host.page.getByText('The link is valid for a day').click();
  await button(host.page, 'New invite link').click();
  await expect.poll(() => linkOf(host)).not.toBe(link);
  const { page: disguised } = await tabs.watch(link);
  await button(disguised, 'Contribute').click();
  await expect(disguised.getByRole('status')).toContainText('This link does not let you in');
  const { examples } = await waitForExamples(host, 2);
  await waitForExamples(host, 2, examples + 500);
  const { page: invited } = await tabs.watch(await linkOf(host));
  await button(invited, 'Contribute').click();
  await waitForExamples(host, 3);
});

test('where the host says so, the code alone lets nobody in', async ({ tabs }) => {
  const host = await tabs.openHost();
  await startTraining(host);
  const { code } = (await host.view()).state.room;
  await host.page.getByRole('checkbox', { name: 'The code alone lets people in' }).uncheck();
  const { page } = await tabs.watch(`/#join=${code}`);
  await button(page, 'Contribute').click();
  await expect(page.getByRole('status')).toContainText('The code alone lets nobody in');
  await host.page.getByRole('checkbox', { name: 'The code alone lets people in' }).check();
  await button(page, 'Try again').click();
  await waitForExamples(host, 1);
});

test('without a direct way data goes through the relay, and both pages say so', async ({ tabs }) => {
  const host = await tabs.openHost();
  await startTraining(host);
  const connections = await countConnections(host.page);
  const { page, sockets } = await tabs.watch(`${await linkOf(host)}&transport=relay`);
  await button(page, 'Contribute').click();
  await waitForExamples(host, 1, 1000);
  expect(await connections()).toBe(0);
  expect(sockets.some((url) => new URL(url).pathname === '/relay')).toBe(true);
  await expect(page.getByRole('note')).toContainText('data goes through the server of this page');
  await expect(host.page.getByRole('region', { name: 'Invite workers' })).toContainText('1 worker found no direct way');
  const { page: direct } = await tabs.watch(await linkOf(host));
  await button(direct, 'Contribute').click();
  await waitForExamples(host, 2);
  await expect(direct.getByRole('note')).toHaveCount(0);
  expect(tabs.problems).toEqual([]);
});

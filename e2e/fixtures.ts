import { type Browser, test as base, type ConsoleMessage, expect, type Page } from '@playwright/test';
import { defaultExperiment, type Experiment } from '../src/experiment/experiment.ts';
import { HostTab, WorkerTab } from '../src/headless/tabs.ts';
import type { BackendChoice } from '../src/models/backend.ts';
import { dist } from '../src/node/build.ts';
import { type RunningServer, startServer } from '../src/relay/serve.ts';

export type { HostTab, WorkerTab } from '../src/headless/tabs.ts';
export { expect };

export interface HostChoice {
  readonly experiment?: Partial<Experiment>;
  readonly backend?: BackendChoice;
}

/** What a tab did over the network or with threads since it was opened. */
export interface Watched {
  readonly page: Page;
  readonly requests: string[];
  readonly sockets: string[];
  readonly threads: string[];
}

/** Opens tabs, each in a browser context of its own, and remembers what they complain about. */
export interface Tabs {
  /** A host page that workers can reach. */
  openHost(choice?: HostChoice): Promise<HostTab>;
  /** A join page that has not been clicked; in another browser if one is given. */
  openWorker(host: HostTab, elsewhere?: Browser): Promise<WorkerTab>;
  /** Worker tabs whose person has pressed Contribute. */
  contribute(host: HostTab, count: number): Promise<WorkerTab[]>;
  /** Any address of the app, with an eye on what it does. */
  watch(address: string, viewport?: { width: number; height: number }): Promise<Watched>;
  /** Console errors, uncaught errors and crashes of every tab so far. */
  readonly problems: readonly string[];
}

/** Gives tests the built app on a free port and the tabs to use it with; all of it is closed after them. */
export const test = base.extend<{ tabs: Tabs }, { server: RunningServer }>({
  server: [
    // Playwright wants a pattern as first argument, even of a fixture that needs no other.
    async ({ playwright: _ }, use) => {
      const server = await startServer({ port: 0, host: '127.0.0.1', dist });
      await use(server);
      await server.close();
    },
    { scope: 'worker' },
  ],
  tabs: async ({ browser, server }, use) => {
    const problems: string[] = [];
    const problem = (text: string) => problems.push(text);
    let workers = 0;
    const tabs: Tabs = {
      problems,
      openHost: ({ experiment, backend = 'wasm' } = {}) =>
        HostTab.open(browser, server.url, { ...defaultExperiment, ...experiment }, backend, problem),
      openWorker: async (host, elsewhere = browser) => {
        const choice = { index: workers++, backend: 'wasm', problem } as const;
        return WorkerTab.open(elsewhere, server.url, await host.invitation(), choice);
      },
      contribute: (host, count) =>
        Promise.all(
          Array.from({ length: count }, async () => {
            const worker = await tabs.openWorker(host);
            await worker.contribute();
            return worker;
          }),
        ),
      watch: async (address, viewport) => {
        const page = await (await browser.newContext(viewport ? { viewport } : {})).newPage();
        const watched: Watched = { page, requests: [], sockets: [], threads: [] };
        page.on('request', (request) => watched.requests.push(new URL(request.url()).pathname));
        page.on('websocket', (socket) => watched.sockets.push(socket.url()));
        page.on('worker', (thread) => watched.threads.push(thread.url()));
        page.on('pageerror', (error) => problem(error.message));
        page.on('console', (message: ConsoleMessage) => message.type() === 'error' && problem(message.text()));
        await page.goto(new URL(address, server.url).href);
        return watched;
      },
    };
    await use(tabs);
    for (const context of browser.contexts()) await context.close();
  },
});

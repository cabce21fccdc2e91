import { test as base, expect } from '@playwright/test';
import { defaultExperiment, type Experiment } from '../src/core/config.ts';
import type { RunPhase } from '../src/core/progress.ts';
import type { BackendChoice } from '../src/models/backend.ts';
import { dist } from '../src/relay/build.ts';
import { type RunningServer, startServer } from '../src/relay/serve.ts';
import { HostTab, WorkerTab } from '../src/relay/tabs.ts';

export { expect };

export interface HostChoice {
  readonly experiment?: Partial<Experiment>;
  readonly backend?: BackendChoice;
}

/** Opens tabs, each in a browser context of its own, and remembers what they complain about. */
export interface Tabs {
  /** A host page that workers can reach. */
  openHost(choice?: HostChoice): Promise<HostTab>;
  /** A join page that has not been clicked. */
  openWorker(host: HostTab, backend?: BackendChoice): Promise<WorkerTab>;
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
    await use({
      problems,
      openHost: ({ experiment, backend = 'wasm' } = {}) =>
        HostTab.open(browser, server.url, { ...defaultExperiment, ...experiment }, backend, problem),
      openWorker: async (host, backend = 'wasm') => {
        const { code } = (await host.glance()).state.room;
        return WorkerTab.open(browser, server.url, code, { index: workers++, backend, problem });
      },
    });
    for (const context of browser.contexts()) await context.close();
  },
});

/** Waits until the host's run is in this phase; a run that fails instead ends the wait. */
export async function waitForPhase(host: HostTab, wanted: RunPhase, timeoutMs = 60_000): Promise<void> {
  const phase = async () => (await host.glance()).state.run?.phase ?? 'none';
  await expect.poll(phase, { timeout: timeoutMs, intervals: [100] }).toMatch(new RegExp(`^(${wanted}|failed)$`));
  expect(await phase()).toBe(wanted);
}

/** Waits until the host's run has done this many steps. */
export async function waitForStep(host: HostTab, step: number, timeoutMs = 60_000): Promise<void> {
  const version = async () => (await host.glance()).state.run?.version ?? 0;
  await expect.poll(version, { timeout: timeoutMs, intervals: [100] }).toBeGreaterThanOrEqual(step);
}

/** Starts a run as the page's own button would, with what the test changes of the usual experiment. */
export async function startTraining(
  host: HostTab,
  experiment: Partial<Experiment> = {},
  trainsHere = false,
): Promise<void> {
  await host.start({ ...defaultExperiment, ...experiment }, trainsHere);
}

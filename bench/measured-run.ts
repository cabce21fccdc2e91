import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import type { Experiment } from '../src/core/config.ts';
import type { RunReport } from '../src/export/run-report.ts';
import { RelayHost } from '../src/relay/relay-host.ts';
import { startServer } from '../src/relay/serve.ts';
import { type DrivenHost, HostTab, launchBrowser, WorkerTab } from '../src/relay/tabs.ts';

/** A whole run in real tabs, and the most memory that the processes of its host and of its workers took. */
export interface MeasuredRun {
  readonly report: RunReport;
  readonly host: Memory;
  /** Of the worker tab that took the most. */
  readonly worker: Memory;
}

/** Resident bytes: all, and without what is shared with others or can be read from files again. */
export interface Memory {
  readonly residentBytes: number;
  readonly ownBytes: number;
}

const LOOK_MS = 250;
const GIVE_UP_MS = 30 * 60_000;
const nothing: Memory = { residentBytes: 0, ownBytes: 0 };

/** Trains to the end: the host in a browser of its own or in this process, the workers in tabs of another browser. */
export async function measuredRun(
  experiment: Experiment,
  { dist, place, note }: { dist: string; place: 'tab' | 'relay'; note: (line: string) => void },
): Promise<MeasuredRun> {
  const server = await startServer({ port: 0, host: '127.0.0.1', dist });
  const choice = { isHeaded: false, backend: 'wasm' } as const;
  const browsers: Browser[] = [];
  let relay: RelayHost | null = null;
  try {
    const workersBrowser = await launchBrowser(choice, note);
    browsers.push(workersBrowser);
    let host: DrivenHost;
    let hostMemory: () => Promise<Memory>;
    if (place === 'relay') {
      relay = await RelayHost.open(server.url, dist, 'wasm', note);
      host = relay;
      hostMemory = () => memoryOf(process.pid);
    } else {
      const hostBrowser = await launchBrowser(choice, note);
      browsers.push(hostBrowser);
      host = await HostTab.open(hostBrowser, server.url, experiment, 'wasm', note);
      hostMemory = await largestTabOf(hostBrowser);
    }
    await host.start(experiment, false);
    const invitation = await host.invitation();
    for (let index = 0; index < experiment.workers; index++) {
      const tab = await WorkerTab.open(workersBrowser, server.url, invitation, {
        index,
        backend: 'wasm',
        problem: note,
      });
      await tab.contribute();
    }
    const workerMemory = await largestTabOf(workersBrowser);
    let [hostPeak, workerPeak] = [nothing, nothing];
    for (const giveUpAtMs = performance.now() + GIVE_UP_MS; ; ) {
      hostPeak = larger(hostPeak, await hostMemory());
      workerPeak = larger(workerPeak, await workerMemory());
      const { run } = (await host.glance()).state;
      if (run?.phase === 'finished') break;
      if (run?.phase === 'failed' || performance.now() > giveUpAtMs) throw new Error(`no end: ${JSON.stringify(run)}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    const report = await host.report();
    if (report === null) throw new Error('a finished run has a report');
    return { report, host: hostPeak, worker: workerPeak };
  } finally {
    for (const browser of browsers) await browser.close();
    await relay?.close();
    await server.close();
  }
}

const larger = (a: Memory, b: Memory): Memory => ({
  residentBytes: Math.max(a.residentBytes, b.residentBytes),
  ownBytes: Math.max(a.ownBytes, b.ownBytes),
});

async function largestTabOf(browser: Browser): Promise<() => Promise<Memory>> {
  const session = await browser.newBrowserCDPSession();
  return async () => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    const tabs = processInfo.filter(({ type }) => type === 'renderer');
    return (await Promise.all(tabs.map(({ id }) => memoryOf(id)))).reduce(larger, nothing);
  };
}

/** By the kernel's own account; zeros where the system does not tell. */
async function memoryOf(pid: number): Promise<Memory> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const bytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024;
  return { residentBytes: bytes('VmRSS'), ownBytes: bytes('RssAnon') };
}

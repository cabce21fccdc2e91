import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { errorText } from '../src/experiment/error-text.ts';
import type { Experiment } from '../src/experiment/experiment.ts';
import { outcomeText } from '../src/headless/progress-line.ts';
import { type DrivenHost, HostTab, launchBrowser, WorkerTab } from '../src/headless/tabs.ts';
import { poll, watchRun } from '../src/host/watch-run.ts';
import { processUse } from '../src/node/proc/process.ts';
import type { RunReport } from '../src/observe/run-report.ts';
import { startServer } from '../src/relay/serve.ts';

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

/** A host of one run, wherever it is. */
interface MeasuredHost {
  readonly url: string;
  readonly invitation: string;
  readonly memory: () => Promise<Memory>;
  /** The report once the run is finished; rejects if there will be none. */
  report(): Promise<RunReport>;
  close(): Promise<void>;
}

interface Setting {
  readonly dist: string;
  readonly place: 'tab' | 'relay';
  note(line: string): void;
}

/** A run that takes longer is given up. */
const GIVE_UP_MS = 30 * 60_000;
const nothing: Memory = { residentBytes: 0, ownBytes: 0 };
const choice = { isHeaded: false, backend: 'wasm' } as const;

/** Trains to the end: the host in a browser or a process of its own, the workers in tabs of another browser. */
export async function measuredRun(experiment: Experiment, setting: Setting): Promise<MeasuredRun> {
  const { note, place } = setting;
  const workersBrowser = await launchBrowser(choice, note);
  let host: MeasuredHost | null = null;
  try {
    host = place === 'relay' ? await hostInRelay(experiment, setting) : await hostInTab(experiment, setting);
    for (let index = 0; index < experiment.workers; index++) {
      const options = { index, backend: 'wasm', problem: note } as const;
      const tab = await WorkerTab.open(workersBrowser, host.url, host.invitation, options);
      await tab.contribute();
    }
    const workerMemory = await largestTabOf(workersBrowser);
    const { memory } = host;
    let [hostPeak, workerPeak] = [nothing, nothing];
    const sample = async () => {
      hostPeak = larger(hostPeak, await memory());
      workerPeak = larger(workerPeak, await workerMemory());
    };
    const stop = poll(sample)(
      () => {},
      (error) => note(errorText(error)),
    );
    const report = await host.report().finally(stop);
    return { report, host: hostPeak, worker: workerPeak };
  } finally {
    await workersBrowser.close();
    await host?.close();
  }
}

/** The report of a host's run once it is finished; rejects if it does not. */
export async function finishedReport(host: DrivenHost): Promise<RunReport> {
  const outcome = await watchRun(host.watch, { timeoutMs: GIVE_UP_MS });
  if (outcome.kind !== 'finished') throw new Error(outcomeText(outcome));
  const report = await host.report();
  if (report === null) throw new Error('the host has no report');
  return report;
}

async function hostInTab(experiment: Experiment, { dist, note }: Setting): Promise<MeasuredHost> {
  const server = await startServer({ port: 0, host: '127.0.0.1', dist });
  const browser = await launchBrowser(choice, note);
  const tab = await HostTab.open(browser, server.url, experiment, 'wasm', note);
  await tab.start(experiment, false);
  return {
    url: server.url,
    invitation: await tab.invitation(),
    memory: await largestTabOf(browser),
    report: () => finishedReport(tab),
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

async function hostInRelay(experiment: Experiment, { dist, note }: Setting): Promise<MeasuredHost> {
  const script = fileURLToPath(new URL('./relay-host.ts', import.meta.url));
  const options = ['--app', dist, '--experiment', JSON.stringify(experiment)];
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), script, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async <Line>(): Promise<Line> => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`the relay's process ended without a word (exit code ${child.exitCode})`);
    return JSON.parse(value) as Line;
  };
  const { url, invitation } = await nextLine<{ url: string; invitation: string }>();
  note(`the relay's process is ${child.pid}`);
  return {
    url,
    invitation,
    memory: async () => memoryOf(child.pid ?? 0),
    report: () => nextLine<RunReport>(),
    close: () => ended(child),
  };
}

/** It has nothing to say any more: whatever keeps it, it goes. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
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
    return tabs.map(({ id }) => memoryOf(id)).reduce(larger, nothing);
  };
}

/** By the kernel's own account; zeros where the system does not tell. */
function memoryOf(pid: number): Memory {
  const use = processUse(pid);
  return { residentBytes: use?.memoryBytes ?? 0, ownBytes: use?.ownBytes ?? 0 };
}

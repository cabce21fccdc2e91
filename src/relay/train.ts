import type { Browser } from 'playwright-core';
import type { RunReport } from '../export/run-report.ts';
import { stopWords } from '../export/summary-table.ts';
import type { WorkerStage } from '../worker/state.ts';
import { ensureBuilt } from './build.ts';
import { progressText } from './progress-line.ts';
import { RelayHost } from './relay-host.ts';
import { type RunningServer, startServer } from './serve.ts';
import { type DrivenHost, type Glance, HostTab, launchBrowser, stageWords, WorkerTab } from './tabs.ts';
import type { TrainOptions } from './train-options.ts';

/** What came of a run in real tabs. `failure` is null only if it trained to its end with every worker tab well. */
export interface TrainResult {
  readonly report: RunReport | null;
  readonly failure: string | null;
  /** What pages complained about, and tabs that broke. */
  readonly problems: readonly string[];
  /** Of the browser, or null if none was started. */
  readonly browser: string | null;
}

export interface TrainListener {
  /** A line about getting ready, or a problem. */
  note(line: string): void;
  /** Where the run is now; called a few times a second. */
  progress(text: string): void;
}

/**
 * Opens a host, in a tab or in this process, and worker tabs in a real browser, and trains to the end. Whatever it starts it stops.
 * `app` gives the folder to serve; without it, the app is built from the sources if need be.
 */
export async function train(
  options: TrainOptions,
  listener: TrainListener,
  app: (log: (line: string) => void) => Promise<string> = ensureBuilt,
): Promise<TrainResult> {
  const problems: string[] = [];
  const problem = (text: string) => {
    problems.push(text);
    listener.note(text);
  };
  let server: RunningServer | undefined;
  let browser: Browser | undefined;
  let relayHost: RelayHost | undefined;
  try {
    const dist = await app(listener.note);
    server = await startServer({ port: 0, host: '127.0.0.1', dist });
    browser = await launchBrowser(options, listener.note);
    let host: DrivenHost;
    if (options.host === 'relay') {
      relayHost = await RelayHost.open(server.url, dist, options.backend, problem);
      host = relayHost;
    } else {
      host = await HostTab.open(browser, server.url, options.experiment, options.backend, problem);
    }
    const failure = await trainIn(browser, server.url, host, options, { problem, progress: listener.progress });
    return { report: await host.report(), failure, problems, browser: browser.version() };
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    return { report: null, failure, problems, browser: browser?.version() ?? null };
  } finally {
    await browser?.close();
    await relayHost?.close();
    await server?.close();
  }
}

const LOOK_EVERY_MS = 250;
/** Loading the library and the data takes seconds; with many tabs on few cores, tens of seconds. */
const START_LIMIT_MS = 180_000;

async function trainIn(
  browser: Browser,
  url: string,
  host: DrivenHost,
  { experiment, tabs, hostTrains, backend, timeoutMs }: TrainOptions,
  { problem, progress }: { problem: (text: string) => void; progress: (text: string) => void },
): Promise<string | null> {
  const beganAtMs = performance.now();
  await host.start(experiment, hostTrains);
  const invitation = await host.invitation();
  const workers = await Promise.all(
    Array.from({ length: tabs }, async (_, index) => {
      const tab = await WorkerTab.open(browser, url, invitation, { index, backend, problem });
      await tab.contribute();
      return tab;
    }),
  );
  const broken = new Set<WorkerTab>();

  for (;;) {
    const glance = await host.glance();
    const { run, note } = glance.state;
    if (run === null) return 'the host dropped the run';
    if (run.phase === 'failed')
      return `the run failed: ${run.stopReason === null ? 'no reason was given' : stopWords[run.stopReason]}`;
    if (run.phase === 'finished') {
      if (run.counters.updates === 0) return 'the run finished without a single update';
      if (broken.size > 0)
        return `trained, but not to the end with ${Array.from(broken, (tab) => tab.name).join(', ')}`;
      return null;
    }
    if (hostTrains && note?.kind === 'broken') return `the host cannot train: ${note.text}`;

    const stages = await Promise.all(workers.map(async (tab) => [tab, await tab.stage()] as const));
    for (const [tab, stage] of stages) {
      const why = brokenWords(stage);
      if (why === null || broken.has(tab)) continue;
      broken.add(tab);
      problem(`${tab.name} failed: ${why}`);
    }
    const waitedMs = performance.now() - beganAtMs;
    const isWaiting = run.phase === 'waiting';
    if (isWaiting && broken.size > 0) return `the run cannot start: ${problemOf(stages)}`;
    if (isWaiting && waitedMs > START_LIMIT_MS) {
      return `the run did not start within ${START_LIMIT_MS / 1000} s: ${problemOf(stages)}`;
    }
    if (waitedMs > timeoutMs) return `gave up after ${timeoutMs / 60_000} minutes, at step ${run.version}`;
    progress(isWaiting ? waitingText(glance, stages) : progressText(run, glance.test, present(glance)));
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

const present = ({ state }: Glance): number => state.workers.filter((worker) => worker.phase !== 'gone').length;

function waitingText({ state }: Glance, stages: readonly (readonly [WorkerTab, WorkerStage])[]): string {
  const ready = state.workers.filter((worker) => worker.phase === 'ready').length;
  const slow = stages.find(([, stage]) => stage.kind !== 'waiting');
  const wanted = state.run?.experiment.workers ?? stages.length;
  const where = slow === undefined ? (state.note?.text ?? '') : `${slow[0].name}: ${stageWords(slow[1])}`;
  return `waiting for workers: ${ready} of ${wanted} ready${where === '' ? '' : ` (${where})`}`;
}

const problemOf = (stages: readonly (readonly [WorkerTab, WorkerStage])[]): string =>
  stages.map(([tab, stage]) => `${tab.name}: ${brokenWords(stage) ?? stageWords(stage)}`).join('; ') ||
  'the host is not ready';

/** Why a worker tab will not train any more; null while it may. */
function brokenWords(stage: WorkerStage): string | null {
  switch (stage.kind) {
    case 'broken':
      return 'detail' in stage.trouble ? `${stage.trouble.code}: ${stage.trouble.detail}` : stage.trouble.code;
    case 'left':
      return 'its page is gone or has left';
    default:
      return null;
  }
}

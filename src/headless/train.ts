import type { Browser, Page } from 'playwright-core';
import type { NodeResources } from '../core/wire/resources.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { stopWords } from '../export/summary-table.ts';
import type { TrainedModel } from '../export/trained-model.ts';
import type { BackendChoice } from '../models/backend.ts';
import { resolveExperiment } from '../models/plan.ts';
import { ensureBuilt } from '../node/build.ts';
import type { RunReport } from '../observe/run-report.ts';
import { type RunningServer, startServer } from '../relay/serve.ts';
import type { WorkerStage } from '../worker/state.ts';
import { type ExampleFile, untilRead } from './example-file.ts';
import { type WatchedPage, watchProcesses } from './process-sampler.ts';
import { progressText } from './progress-line.ts';
import { RelayHost } from './relay-host.ts';
import { type DrivenHost, type Glance, HostTab, launchBrowser, stageWords, WorkerTab } from './tabs.ts';

/** One run in real tabs, ready to start. */
export interface TrainOptions {
  readonly experiment: Experiment;
  /** Worker tabs to open beside the host. */
  readonly tabs: number;
  /** Where the parameter server is: in a tab of its own, or in this process. */
  readonly host: 'tab' | 'relay';
  readonly hostTrains: boolean;
  readonly backend: BackendChoice;
  readonly isHeaded: boolean;
  readonly timeoutMs: number;
}

/** What came of a run in real tabs. `failure` is null only if it trained to its end with every worker tab well. */
export interface TrainResult {
  readonly report: RunReport | null;
  /** What it came to, where that was asked for. */
  readonly model: TrainedModel | null;
  readonly failure: string | null;
  /** What pages complained about, and tabs that broke. */
  readonly problems: readonly string[];
  /** Of the browser, or null if none was started. */
  readonly browser: string | null;
}

export interface TrainListener {
  /** A line about getting ready, or a problem. */
  note(line: string): void;
  /** Where the run is now, in words and in full; called a few times a second. */
  progress(text: string, glance: Glance): void;
}

/** What to do beside training. */
export interface TrainExtras {
  /** Gives the folder to serve; without it, the app is built from the sources if need be. */
  readonly app?: (log: (line: string) => void) => Promise<string>;
  /** Breaks the run off: what came of it is lost. */
  readonly signal?: AbortSignal;
  /** What an experiment whose data is a file takes. */
  readonly file?: ExampleFile | null;
  /** Brings the parameters. */
  readonly keepsModel?: boolean;
  /** Takes one step apart when the run is over. */
  readonly profiles?: boolean;
}

/** Opens a host, in a tab or in this process, and worker tabs in a real browser, and trains to the end. Whatever it starts it stops. */
export async function train(
  options: TrainOptions,
  listener: TrainListener,
  { app = ensureBuilt, signal, file = null, keepsModel = false, profiles = false }: TrainExtras = {},
): Promise<TrainResult> {
  const problems: string[] = [];
  const problem = (text: string) => {
    if (signal?.aborted) return;
    problems.push(text);
    listener.note(text);
  };
  let server: RunningServer | undefined;
  let browser: Browser | undefined;
  let relayHost: RelayHost | undefined;
  let watch: Awaited<ReturnType<typeof watchProcesses>> | null = null;
  // Whatever is under way in its tabs then fails at once.
  const breakOff = () => void browser?.close();
  signal?.addEventListener('abort', breakOff);
  try {
    const dist = await app(listener.note);
    server = await startServer({ port: 0, host: '127.0.0.1', dist });
    browser = await launchBrowser(options, listener.note, { handlesSignals: signal === undefined });
    signal?.throwIfAborted();
    let host: DrivenHost;
    const pages: WatchedPage[] = [];
    if (options.host === 'relay') {
      relayHost = await RelayHost.open(server.url, dist, options.backend, problem);
      host = relayHost;
    } else {
      const tab = await HostTab.open(browser, server.url, options.experiment, options.backend, problem);
      pages.push({ node: 'host', worker: null, page: tab.page });
      host = tab;
    }
    if (file) await readIn(host, file, options.experiment, listener);
    let startedAtMs: number | null = null;
    watch = await watchProcesses({ browser, pages: () => pages, startedAtMs: () => startedAtMs });
    const failure = await trainIn(browser, server.url, host, options, {
      problem,
      progress(text, glance) {
        startedAtMs = glance.state.run?.startedAtMs ?? null;
        listener.progress(text, glance);
      },
      onWorker: (worker, page) => pages.push({ node: `worker ${worker}`, worker, page }),
    });
    const watched = (await watch.stop()).sort((a, b) => (a.worker ?? -1) - (b.worker ?? -1));
    watch = null;
    if (profiles && failure === null)
      await Promise.race([host.profile(options.experiment), pause(PROFILE_LIMIT_MS)]).catch(() => {});
    const report = await host.report();
    const whole = report && { ...report, resources: allResources(report.resources, watched) };
    const fetching = keepsModel && failure === null ? host.parameters() : null;
    const trained = await fetching?.catch(
      (error: Error) => void problem(`the trained model is lost: ${error.message}`),
    );
    const model = trained ? { experiment: options.experiment, ...trained } : null;
    return { report: whole, model, failure, problems, browser: browser.version() };
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    return { report: null, model: null, failure, problems, browser: browser?.version() ?? null };
  } finally {
    signal?.removeEventListener('abort', breakOff);
    await watch?.stop().catch(() => {});
    await browser?.close();
    await relayHost?.close();
    await server?.close();
  }
}

/** Gives the host its file and waits until it has read it; what does not go together is found out before tabs are opened. */
async function readIn(host: DrivenHost, file: ExampleFile, experiment: Experiment, listener: TrainListener) {
  await host.chooseFile(file, experiment.features);
  let glance = await host.glance();
  const look = async () => {
    glance = await host.glance();
    return glance.state.examples;
  };
  const progress = (text: string) => listener.progress(text, glance);
  const found = await untilRead(look, { note: listener.note, progress });
  resolveExperiment({ ...experiment, examples: found.trainCount, entries: Math.max(1, found.entries) });
}

interface TrainEvents extends Pick<TrainListener, 'progress'> {
  problem(text: string): void;
  /** A worker tab has got its number. */
  onWorker(worker: number, page: Page): void;
}

const LOOK_EVERY_MS = 250;
/** A profile is good to have; nobody waits for it for long. */
const PROFILE_LIMIT_MS = 30_000;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
/** Loading the library and the data takes seconds; with many tabs on few cores, tens of seconds. */
const START_LIMIT_MS = 180_000;

async function trainIn(
  browser: Browser,
  url: string,
  host: DrivenHost,
  { experiment, tabs, hostTrains, backend, timeoutMs }: TrainOptions,
  { problem, progress, onWorker }: TrainEvents,
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
  const [broken, numbered] = [new Set<WorkerTab>(), new Set<WorkerTab>()];

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

    const stages = await Promise.all(
      workers.map(async (tab) => {
        const view = await tab.view();
        if (view?.identity && !numbered.has(tab)) {
          numbered.add(tab);
          onWorker(view.identity.worker, tab.page);
        }
        return [tab, view?.stage ?? gone] as const;
      }),
    );
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
    progress(isWaiting ? waitingText(glance, stages) : progressText(run, glance.test, present(glance)), glance);
    await pause(LOOK_EVERY_MS);
  }
}

/** A tab that no longer answers counts as one that left. */
const gone: WorkerStage = { kind: 'left' };

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

/** What nodes told of themselves, and what the system told of those that did not tell the same. */
function allResources(told: readonly NodeResources[], watched: readonly NodeResources[]): readonly NodeResources[] {
  const isTold = ({ node, source }: NodeResources) =>
    told.some((other) => other.node === node && other.source === source);
  const all = [...told, ...watched.filter((resources) => !isTold(resources))];
  // The host, the workers by number, then what is none of them.
  const place = ({ node, worker }: NodeResources) => worker ?? (node === 'host' ? -1 : Number.POSITIVE_INFINITY);
  return all.sort((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)));
}

import type { Browser } from 'playwright-core';
import type { NodeResources } from '../core/wire/resources.ts';
import { errorText } from '../experiment/error-text.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { TrainedModel } from '../export/model/trained-model.ts';
import { type HostView, poll, unlessAborted, watchRun } from '../host/watch-run.ts';
import type { BackendChoice } from '../models/backend.ts';
import { resolveExperiment } from '../models/plan.ts';
import { ensureBuilt } from '../node/build.ts';
import type { RunReport } from '../observe/run-report.ts';
import { type RunningServer, startServer } from '../relay/serve.ts';
import type { WorkerStage } from '../worker/state.ts';
import { type ExampleFile, untilRead } from './example-file.ts';
import { type WatchedPage, watchProcesses } from './process-sampler.ts';
import { outcomeText, viewText } from './progress-line.ts';
import { openRelayHost, type RelayHost } from './relay-host.ts';
import { type DrivenHost, HostTab, launchBrowser, stageWords, WorkerTab } from './tabs.ts';

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
  /** The folder to serve; without it, the app is built from the sources if need be. */
  readonly app?: string;
  /** Breaks the run off: what came of it is lost. */
  readonly signal?: AbortSignal;
  /** The data of an experiment whose data is a file. */
  readonly file?: ExampleFile | null;
  /** Whether the parameters are fetched when the run is over. */
  readonly keepsModel?: boolean;
  /** Whether one step is then taken apart. */
  readonly profiles?: boolean;
}

/** What came of a run in real tabs. `failure` is null only if it trained to its end with every worker tab well. */
export interface TrainResult {
  readonly report: RunReport | null;
  /** Null unless it was asked for. */
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
  progress(text: string, view: HostView): void;
}

/** A profile is good to have; nobody waits for it for long. */
const PROFILE_LIMIT_MS = 30_000;

/** Opens a host, in a tab or in this process, and worker tabs in a real browser, and trains to the end. Whatever it starts it stops. */
export async function train(options: TrainOptions, listener: TrainListener): Promise<TrainResult> {
  const { experiment, backend, signal, file } = options;
  const problems: string[] = [];
  const problem = (text: string) => {
    if (signal?.aborted) return;
    problems.push(text);
    listener.note(text);
  };
  let server: RunningServer | undefined;
  let browser: Browser | undefined;
  let relayHost: RelayHost | undefined;
  let sampler: Awaited<ReturnType<typeof watchProcesses>> | undefined;
  // Whatever is under way in its tabs then fails at once.
  const breakOff = () => void browser?.close();
  signal?.addEventListener('abort', breakOff);
  try {
    const dist = options.app ?? (await ensureBuilt(listener.note));
    server = await startServer({ port: 0, host: '127.0.0.1', dist });
    browser = await launchBrowser(options, listener.note, { handlesSignals: signal === undefined });
    signal?.throwIfAborted();
    let host: DrivenHost;
    const pages: WatchedPage[] = [];
    if (options.host === 'relay') {
      relayHost = await openRelayHost(server.url, dist, backend, problem);
      host = relayHost;
    } else {
      const tab = await HostTab.open(browser, server.url, experiment, backend, problem);
      pages.push({ node: 'host', worker: null, page: tab.page });
      host = tab;
    }
    if (file) await readIn(host, file, experiment, listener);
    let startedAtMs: number | null = null;
    sampler = await watchProcesses({ browser, pages: () => pages, startedAtMs: () => startedAtMs });
    const progress = (text: string, view: HostView) => {
      startedAtMs = view.state.run?.startedAtMs ?? null;
      listener.progress(text, view);
    };
    const failure = await trainIn(browser, server.url, host, options, { pages, problem, progress });
    const sampled = await sampler.stop();
    sampler = undefined;
    if (options.profiles && failure === null)
      await unlessAborted(host.profile(experiment), AbortSignal.timeout(PROFILE_LIMIT_MS)).catch(() => {});
    const report = await host.report().catch((error) => {
      // Why there is nothing to report is known already.
      if (failure !== null) return null;
      throw error;
    });
    const fetching = options.keepsModel && failure === null ? host.parameters() : null;
    const trained = await fetching?.catch((error) => void problem(`the trained model is lost: ${errorText(error)}`));
    return {
      report: report && { ...report, resources: allResources(report.resources, sampled) },
      model: trained ? { experiment, ...trained } : null,
      failure,
      problems,
      browser: browser.version(),
    };
  } catch (error) {
    return { report: null, model: null, failure: errorText(error), problems, browser: browser?.version() ?? null };
  } finally {
    signal?.removeEventListener('abort', breakOff);
    await sampler?.stop().catch(() => {});
    await browser?.close();
    await relayHost?.close();
    await server?.close();
  }
}

/** Gives the host its file and waits until it has read it; what does not fit the experiment is found out before tabs are opened. */
async function readIn(host: DrivenHost, file: ExampleFile, experiment: Experiment, { note, progress }: TrainListener) {
  await host.chooseFile(file, experiment.features);
  const view = await host.view();
  const found = await untilRead(host.watch, { note, progress: (text) => progress(text, view) });
  resolveExperiment({ ...experiment, examples: found.trainCount, entries: Math.max(1, found.entries) });
}

/** Loading the library and the data takes seconds; with many tabs on few cores, tens of seconds. */
const START_LIMIT_MS = 180_000;

/** A worker tab and where it is. */
interface TabStage {
  readonly tab: WorkerTab;
  readonly stage: WorkerStage;
}

/** Starts the run, opens the worker tabs and watches until it is over. Why it failed, or null. */
async function trainIn(
  browser: Browser,
  url: string,
  host: DrivenHost,
  { experiment, tabs, hostTrains, backend, timeoutMs, signal }: TrainOptions,
  { pages, problem, progress }: Pick<TrainListener, 'progress'> & { pages: WatchedPage[]; problem(text: string): void },
): Promise<string | null> {
  const beganAtMs = performance.now();
  const spentMs = () => performance.now() - beganAtMs;
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
  const stageOf = async (tab: WorkerTab): Promise<TabStage> => {
    const view = await tab.view();
    const worker = view?.identity?.worker;
    if (worker !== undefined && pages.every(({ page }) => page !== tab.page))
      pages.push({ node: `worker ${worker}`, worker, page: tab.page });
    // A tab that no longer answers counts as one that left.
    const stage = view?.stage ?? { kind: 'left' };
    const why = brokenWords(stage);
    if (why !== null && !broken.has(tab)) {
      broken.add(tab);
      problem(`${tab.name} failed: ${why}`);
    }
    return { tab, stage };
  };
  const look = async () => ({ ...(await host.view()), stages: await Promise.all(workers.map(stageOf)) });

  const outcome = await watchRun(poll(look), {
    signal,
    timeoutMs: timeoutMs - spentMs(),
    giveUp({ state: { note }, stages }, run) {
      if (hostTrains && note?.kind === 'broken') return `the host cannot train: ${note.text}`;
      if (run?.phase !== 'waiting') return null;
      if (broken.size > 0) return `the run cannot start: ${stagesText(stages)}`;
      if (spentMs() < START_LIMIT_MS) return null;
      return `the run did not start within ${START_LIMIT_MS / 1000} s: ${stagesText(stages)}`;
    },
    onProgress(seen, run) {
      const slow = seen.stages.find(({ stage }) => stage.kind !== 'waiting');
      const where = slow === undefined ? seen.state.note?.text : `${slow.tab.name}: ${stageWords(slow.stage)}`;
      progress(`${viewText(seen)}${run?.phase === 'waiting' && where ? ` (${where})` : ''}`, seen);
    },
  });
  if (outcome.kind === 'timed-out')
    return `gave up after ${timeoutMs / 60_000} minutes, at step ${outcome.run?.version ?? 0}`;
  if (outcome.kind !== 'finished') return outcomeText(outcome);
  if (outcome.run.counters.updates === 0) return 'the run finished without a single update';
  if (broken.size === 0) return null;
  return `trained, but not to the end with ${Array.from(broken, ({ name }) => name).join(', ')}`;
}

const stagesText = (stages: readonly TabStage[]): string =>
  stages.map(({ tab, stage }) => `${tab.name}: ${brokenWords(stage) ?? stageWords(stage)}`).join('; ') ||
  'the host is not ready';

/** Why a worker tab will not train any more; null while it may. */
function brokenWords(stage: WorkerStage): string | null {
  if (stage.kind === 'left') return 'its page is gone or has left';
  if (stage.kind !== 'broken') return null;
  return 'detail' in stage.trouble ? `${stage.trouble.code}: ${stage.trouble.detail}` : stage.trouble.code;
}

/** What nodes reported themselves, and what the system reports of those that did not; the host first, then the workers by number. */
function allResources(own: readonly NodeResources[], sampled: readonly NodeResources[]): readonly NodeResources[] {
  const isOwn = ({ node, source }: NodeResources) =>
    own.some((other) => other.node === node && other.source === source);
  const rank = ({ node, worker }: NodeResources) => worker ?? (node === 'host' ? -1 : Number.MAX_VALUE);
  return [...own, ...sampled.filter((resources) => !isOwn(resources))].sort((a, b) => rank(a) - rank(b));
}

import { existsSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { type Experiment, experimentToQuery } from '../experiment/experiment.ts';
import type { Host } from '../host/state.ts';
import { type HostView, poll, runAfter, settledReport, until } from '../host/watch-run.ts';
import type { BackendChoice } from '../models/backend.ts';
import type { RunReport } from '../observe/run-report.ts';
import type { WorkerControl, WorkerStage, WorkerView } from '../worker/state.ts';
import { chromiumArgs, ensureChromium } from './chromium.ts';
import type { ExampleFile } from './example-file.ts';
import { tabParameters } from './tab-parameters.ts';

/** What the app puts on `globalThis` for a program that drives it. */
export interface HostGlobal {
  readonly manyhands?: { readonly host: Host; report(): RunReport; joinLink(): string };
}
export interface WorkerGlobal {
  readonly manyhands?: { readonly worker: WorkerControl };
}

/** Starts the Chromium that will hold the tabs. */
export async function launchBrowser(
  { isHeaded, backend }: { isHeaded: boolean; backend: BackendChoice },
  log: (line: string) => void,
  { handlesSignals = true } = {},
): Promise<Browser> {
  const executablePath = await ensureChromium(log);
  const { chromium } = await import('playwright-core');
  const hasGpu = process.platform !== 'linux' || existsSync('/dev/dri');
  const webgpu = backend === 'webgpu' && !hasGpu ? 'swiftshader' : 'default';
  // Whoever has something to say before the end closes the browser on their own.
  const handles = { handleSIGINT: handlesSignals, handleSIGTERM: handlesSignals, handleSIGHUP: handlesSignals };
  const options = { executablePath, headless: !isHeaded, args: chromiumArgs({ webgpu }), ...handles };
  return chromium.launch(options).catch((error: Error) => {
    const hasNoScreen = isHeaded && /DISPLAY|X server/.test(error.message);
    const todo = hasNoScreen
      ? 'there is no screen here, leave out --headed'
      : 'try it by hand, or set MANYHANDS_CHROMIUM to another';
    throw new Error(`the browser ${executablePath} does not start: ${todo}`, { cause: error });
  });
}

export interface TabChoice {
  readonly index: number;
  readonly backend: BackendChoice;
  problem(text: string): void;
  /** Accepts a certificate that no authority has signed. */
  readonly isInsecure?: boolean;
  /** The name that a volunteer would type. */
  readonly volunteer?: string;
}

/** Opens a page in a context of its own: tabs of one context hide each other, and hidden tabs are slowed down. */
async function openTab(
  browser: Browser,
  url: string,
  name: string,
  { problem, isInsecure = false, volunteer }: Pick<TabChoice, 'problem' | 'isInsecure' | 'volunteer'>,
): Promise<Page> {
  const context = await browser.newContext({ ignoreHTTPSErrors: isInsecure });
  if (volunteer !== undefined) {
    await context.addInitScript((typed) => localStorage.setItem('manyhands name', typed), volunteer);
  }
  const page = await context.newPage();
  page.on('pageerror', (error) => problem(`${name}: ${error.message}`));
  page.on('crash', () => problem(`${name}: the tab crashed`));
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    // "Failed to load resource" does not name the resource.
    const { url: where } = message.location();
    problem(`${name}: ${message.text()}${message.text().startsWith('Failed to load') ? ` (${where})` : ''}`);
  });
  await page.goto(url).catch((error: Error) => {
    const why = /net::\w+/.exec(error.message)?.[0] ?? error.message.split('\n', 1)[0] ?? '';
    const todo = why.startsWith('net::ERR_CERT')
      ? 'if it is a relay of yours with --https, add --insecure'
      : 'is the address right, and the relay running?';
    throw new Error(`${new URL(url).origin} cannot be opened (${why}): ${todo}`, { cause: error });
  });
  return page;
}

/** A host page under control. */
export class HostTab {
  readonly page: Page;
  readonly watch = poll(() => this.view());

  private constructor(page: Page) {
    this.page = page;
  }

  /** Opens the host page and waits until workers can reach it. */
  static async open(
    browser: Browser,
    base: string,
    experiment: Experiment,
    backend: BackendChoice,
    problem: (text: string) => void,
  ): Promise<HostTab> {
    const hash = [experimentToQuery(experiment), backendQuery(backend)].filter((part) => part !== '').join('&');
    const page = await openTab(browser, `${base}#${hash}`, 'host tab', { problem });
    let why = 'the page did not start';
    const look = () => page.evaluate(() => (globalThis as HostGlobal).manyhands?.host.state.room ?? null);
    const isOpen = (room: Awaited<ReturnType<typeof look>>) => {
      if (room !== null) why = room.problem ?? `signalling is ${room.signalling}`;
      return room?.signalling === 'open' || null;
    };
    if ((await until(poll(look, 50), isOpen, { timeoutMs: OPEN_LIMIT_MS })) === true) return new HostTab(page);
    throw new Error(`the host tab was not ready after ${OPEN_LIMIT_MS / 1000} s: ${why}`);
  }

  /** Starts a run, and waits until it is the one that `view` shows. */
  async start(experiment: Experiment, trainsHere: boolean): Promise<void> {
    const before = await this.page.evaluate(
      ([what, here]) => {
        const host = (globalThis as HostGlobal).manyhands?.host;
        const run = host?.state.run;
        host?.setTrainsHere(here);
        host?.start(what);
        return run?.id;
      },
      [experiment, trainsHere] as const,
    );
    // The server is a thread of its own: its run shows with its next message.
    await until(
      poll(() => this.view(), 20),
      (view) => runAfter(before, view),
    );
  }

  /** Gives the host its file of examples as a person would: the browser reads it from the disk, however large it is. */
  async chooseFile({ path, format, malformedLimit, firstIndex }: ExampleFile, features: number): Promise<void> {
    await this.page.setInputFiles(FILE_INPUT, path);
    await this.page.evaluate(
      ([input, how]) => {
        const file = document.querySelector<HTMLInputElement>(input)?.files?.[0];
        const host = (globalThis as HostGlobal).manyhands?.host;
        if (file && host) host.chooseExamples({ kind: 'file', file, name: file.name, ...how });
      },
      [FILE_INPUT, { format, malformedLimit, firstIndex, features }] as const,
    );
  }

  async view(): Promise<HostView> {
    const view = await this.page.evaluate(() => {
      const host = (globalThis as HostGlobal).manyhands?.host;
      return host === undefined ? null : { state: host.state, test: host.log?.test.at(-1) ?? null };
    });
    if (view === null) throw new Error('the host tab was reloaded or left its page');
    return view;
  }

  /** What the join link of this host has after #. */
  async invitation(): Promise<string> {
    const link = await this.page.evaluate(() => (globalThis as HostGlobal).manyhands?.joinLink() ?? '');
    return new URL(link).hash.slice(1);
  }

  /** The report of its run, once the last push is in it. */
  report(): Promise<RunReport | null> {
    const read = () => this.page.evaluate(() => (globalThis as HostGlobal).manyhands?.report() ?? null);
    return settledReport(poll(read), (report) => report);
  }

  /** A copy of the parameters as they are now; null while there is no run. */
  parameters(): ReturnType<Host['parameters']> {
    return tabParameters(this.page);
  }

  /** Takes one step apart, for the report; rejects where that cannot be. */
  profile(experiment: Experiment): Promise<void> {
    return this.page.evaluate(async (what) => {
      await (globalThis as HostGlobal).manyhands?.host.profile(what);
    }, experiment);
  }
}

/** A host that a program drives, wherever it runs. */
export type DrivenHost = Omit<HostTab, 'page'>;

/** A worker page under control. */
export class WorkerTab {
  readonly name: string;
  readonly page: Page;

  private constructor(name: string, page: Page) {
    this.name = name;
    this.page = page;
  }

  /** Opens the join page of an invitation, which is what a join link has after #; nothing computes before `contribute`. */
  static async open(
    browser: Browser,
    base: string,
    invitation: string,
    { index, backend, ...choice }: TabChoice,
  ): Promise<WorkerTab> {
    const name = `worker tab ${index + 1}`;
    const hash = new URLSearchParams(invitation);
    // The host's link may name the backend that the host was asked for.
    if (backend !== 'auto') hash.set('backend', backend);
    const page = await openTab(browser, `${base}#${hash}`, name, choice);
    return new WorkerTab(name, page);
  }

  /** Clicks as a volunteer would. */
  contribute(): Promise<void> {
    return this.page.getByRole('button', { name: 'Contribute', exact: true }).click({ timeout: OPEN_LIMIT_MS });
  }

  /** What it knows about itself; null once it no longer answers. */
  async view(): Promise<WorkerView | null> {
    if (this.page.isClosed()) return null;
    return this.page.evaluate(() => (globalThis as WorkerGlobal).manyhands?.worker.view ?? null).catch(() => null);
  }

  /** Its one state; a tab that no longer answers counts as one that left. */
  async stage(): Promise<WorkerStage> {
    return (await this.view())?.stage ?? { kind: 'left' };
  }
}

/** A worker's state in a few words. */
export function stageWords(stage: WorkerStage): string {
  switch (stage.kind) {
    case 'preparing':
      return `${stage.what}${stage.fraction === null ? '' : ` ${Math.round(stage.fraction * 100)} %`}`;
    case 'reconnecting':
      return `reconnecting (${stage.trouble.code})`;
    default:
      return stage.kind;
  }
}

const OPEN_LIMIT_MS = 30_000;
const FILE_INPUT = 'input[name="examples-file"]';

const backendQuery = (backend: BackendChoice): string => (backend === 'auto' ? '' : `backend=${backend}`);

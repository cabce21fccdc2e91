import type { Browser, Page } from 'playwright-core';
import { type NodeResources, noSample, type ResourceSample, type TimedSample } from '../core/wire/resources.ts';
import { type MachineUse, machineUse } from '../node/proc/machine.ts';
import { type ProcessUse, processUse } from '../node/proc/process.ts';
import { Growth } from '../observe/growth.ts';
import { shareOf } from '../observe/resource-sampler.ts';
import { processOf } from './page-process.ts';

/** A tab that is a node of the run. */
export interface WatchedPage {
  readonly node: string;
  readonly worker: number | null;
  readonly page: Page;
}

export interface WatchOptions {
  readonly browser: Browser | null;
  /** The tabs there are just now; asked at every look. Where none of them is `host`, this process is. */
  pages(): readonly WatchedPage[];
  /** When the run began, by Date.now(); null before. Samples and totals start with it. */
  startedAtMs(): number | null;
  readonly everyMs?: number;
  /** Where Linux tells about processes. */
  readonly root?: string;
}

const EVERY_MS = 1000;
/** Processor time comes in ticks of 10 ms: over a shorter time it says nothing. */
const MIN_MS = 200;
/** A page's process is asked for so often before it is given up: each asking is a trace. */
const MAX_ASKS = 3;

/**
 * Looks at the operating system's own numbers once a second: each tab's process under its node's name, `browser` (every
 * other process of the browser: its main, network and GPU process, and spare ones), `host` where this process is the host,
 * `machine` (whatever runs on it). Tabs and `browser` together are the whole browser. Elsewhere than on Linux there is
 * only processor time, and no machine. `stop` gives what was seen and may be called once.
 */
export async function watchProcesses(options: WatchOptions): Promise<{ stop(): Promise<NodeResources[]> }> {
  const { browser, pages, startedAtMs, everyMs = EVERY_MS, root = '/proc' } = options;
  const session = (await browser?.newBrowserCDPSession().catch(() => null)) ?? null;
  const nodes = new Map<string, WatchedNode>();
  const pids = new PagePids();
  let hasHostPage = false;
  let lookedMs = 0;

  const nodeOf = (node: string, worker: number | null, source: NodeResources['source']): WatchedNode => {
    const known = nodes.get(node) ?? new WatchedNode({ node, worker, source });
    nodes.set(node, known);
    return known;
  };

  const look = async (): Promise<void> => {
    const listed = await session?.send('SystemInfo.getProcessInfo').catch(() => null);
    const uses = new Map<number, ProcessUse>();
    for (const { id, cpuTime } of [...(listed?.processInfo ?? []), ownInfo()]) {
      const use = processUse(id, root) ?? (isLinux ? null : foreignUse(id, cpuTime * 1000));
      if (use !== null) uses.set(id, use);
    }
    const startedMs = startedAtMs();
    const at = { nowMs: performance.now(), atMs: startedMs === null ? null : Math.max(0, Date.now() - startedMs) };
    lookedMs = at.nowMs;
    const rest = new Map(uses);
    /** A process that runs two tabs counts for the first. */
    const claim = (pid: number | null, node: string, worker: number | null): void => {
      const use = pid === null ? undefined : rest.get(pid);
      if (pid === null || use === undefined) return;
      rest.delete(pid);
      nodeOf(node, worker, 'process').addProcesses([use], at);
    };
    claim(process.pid, OWN, null);
    for (const { node, worker, page } of pages()) {
      if (node === 'host') hasHostPage = true;
      claim(
        pids.of(page, (pid) => uses.has(pid)),
        node,
        worker,
      );
    }
    if (rest.size > 0) nodeOf('browser', null, 'process').addProcesses([...rest.values()], at);
    const machine = machineUse(root);
    if (machine) nodeOf('machine', null, 'machine').addMachine(machine, at);
  };

  await look();
  await pids.done();
  let looking = Promise.resolve();
  let isLooking = false;
  const timer = setInterval(() => {
    // A browser that is slow to answer is asked again when it has.
    if (isLooking) return;
    isLooking = true;
    looking = look().finally(() => {
      isLooking = false;
    });
  }, everyMs).unref();

  return {
    async stop() {
      clearInterval(timer);
      await looking;
      if (performance.now() - lookedMs > MIN_MS) await look();
      await pids.done();
      session?.detach().catch(() => {});
      return [...nodes.values()].flatMap(({ resources }) => {
        if (resources.samples.length === 0) return [];
        if (resources.node !== OWN) return [resources];
        return hasHostPage ? [] : [{ ...resources, node: 'host' }];
      });
    },
  };
}

const isLinux = process.platform === 'linux';
/** Not a name of a tab. */
const OWN = 'this process';

const ownInfo = () => {
  const { user, system } = process.cpuUsage();
  return { id: process.pid, cpuTime: (user + system) / 1e6 };
};

const foreignUse = (pid: number, cpuMs: number): ProcessUse => ({
  key: String(pid),
  cpuMs,
  memoryBytes: pid === process.pid ? process.memoryUsage.rss() : null,
  ownBytes: null,
  readBytes: null,
  writtenBytes: null,
});

/**
 * Of one process, what is resident. Processes of one program have much of it in common: of several, what each has for
 * itself, and the largest of the rest.
 */
function memoryOf(uses: readonly ProcessUse[]): number | null {
  let [own, common]: [number | null, number] = [null, 0];
  for (const { memoryBytes, ownBytes } of uses) {
    if (memoryBytes === null) continue;
    own = (own ?? 0) + (ownBytes ?? memoryBytes);
    common = Math.max(common, memoryBytes - (ownBytes ?? memoryBytes));
  }
  return own === null ? null : own + common;
}

/** When a look was: by a clock that does not jump, and since the run began (null before). */
interface LookTime {
  readonly nowMs: number;
  readonly atMs: number | null;
}

/** One node's samples, with the totals behind them. */
class WatchedNode {
  readonly #samples: TimedSample[] = [];
  readonly #name: Omit<NodeResources, 'samples'>;
  readonly #cpu = new Growth(false);
  readonly #read = new Growth(false);
  readonly #written = new Growth(false);
  readonly #sent = new Growth(false);
  readonly #received = new Growth(false);
  readonly #share = shareOf(0);

  constructor(name: Omit<NodeResources, 'samples'>) {
    this.#name = name;
  }

  get resources(): NodeResources {
    return { ...this.#name, samples: this.#samples };
  }

  addProcesses(uses: readonly ProcessUse[], at: LookTime): void {
    this.#add(at, {
      cpu: this.#share(this.#cpu.add(uses.map(({ key, cpuMs }) => [key, cpuMs])) ?? 0, at.nowMs),
      memoryBytes: memoryOf(uses),
      readBytes: this.#read.add(uses.map(({ key, readBytes }) => [key, readBytes])),
      writtenBytes: this.#written.add(uses.map(({ key, writtenBytes }) => [key, writtenBytes])),
    });
  }

  addMachine({ cpuMs, memoryBytes, disks, interfaces }: MachineUse, at: LookTime): void {
    this.#add(at, {
      cpu: this.#share(cpuMs, at.nowMs),
      memoryBytes,
      readBytes: this.#read.add(disks.map(({ key, inBytes }) => [key, inBytes])),
      writtenBytes: this.#written.add(disks.map(({ key, outBytes }) => [key, outBytes])),
      sentBytes: this.#sent.add(interfaces.map(({ key, outBytes }) => [key, outBytes])),
      receivedBytes: this.#received.add(interfaces.map(({ key, inBytes }) => [key, inBytes])),
    });
  }

  #add({ atMs }: LookTime, sample: Partial<ResourceSample>): void {
    if (atMs !== null) this.#samples.push({ ...noSample, ...sample, atMs });
    else for (const growth of [this.#read, this.#written, this.#sent, this.#received]) growth.reset();
  }
}

/** Knows which process runs a page; one page is asked at a time, while looks go on without it. */
class PagePids {
  readonly #known = new Map<Page, { pid: number | null; asks: number; isAsking: boolean }>();
  #asking: Promise<void> = Promise.resolve();

  /** Null while it is not known. A page whose process is gone is asked again: it may have got another. */
  of(page: Page, isAlive: (pid: number) => boolean): number | null {
    const known = this.#known.get(page) ?? { pid: null, asks: 0, isAsking: false };
    this.#known.set(page, known);
    if (known.pid !== null && isAlive(known.pid)) return known.pid;
    if (known.asks < MAX_ASKS && !known.isAsking && !page.isClosed()) {
      known.asks += 1;
      known.isAsking = true;
      this.#asking = this.#asking.then(async () => {
        known.pid = await processOf(page);
        known.isAsking = false;
      });
    }
    return null;
  }

  done(): Promise<void> {
    return this.#asking;
  }
}

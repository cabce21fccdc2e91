import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { defaultExperiment } from '../src/experiment/experiment.ts';
import { startNodeHost } from '../src/node/host.ts';
import { startServer } from '../src/relay/serve.ts';
import type { LightReport } from './light-workers.ts';

export interface ManyLinks {
  readonly links: number;
  readonly seconds: number;
  /** Workers that were there all the time. */
  readonly held: number;
  readonly breaks: readonly string[];
  readonly pushed: number;
  /** Pushes with a verdict: each must be one of `pushed`. */
  readonly answered: number;
  readonly pushesPerSecond: number;
  readonly memoryMiB: { readonly empty: number; readonly joined: number; readonly end: number };
  /** Of the event loop that moves bytes. */
  readonly loopDelayMs: { readonly p50: number; readonly p99: number; readonly max: number };
}

const memoryMiB = () => Math.round(process.memoryUsage().rss / 2 ** 20);
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A host in this process with light workers in another, for a while: what is lost, and what it costs. */
export async function holdLinks(links: number, seconds: number, thinkMs: number, app: string): Promise<ManyLinks> {
  const folder = await mkdtemp(join(tmpdir(), 'manyhands-links-'));
  const server = await startServer({ port: 0, host: '127.0.0.1', dist: app });
  const net = { url: server.url, isOwn: true, bindAddress: '127.0.0.1' };
  const note = (line: string) => console.error(line);
  const node = await startNodeHost({ folder, app, net, backend: 'wasm', allowsTyping: false, note });
  const { host } = node;
  const program = join(import.meta.dirname, 'light-workers.ts');
  const words = [server.url, node.code, node.invite(), String(links), String(thinkMs)];
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), program, ...words], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const output = text(child.stdout);
  try {
    host.setTrainsHere(false);
    const empty = memoryMiB();
    const experiment = { ...defaultExperiment, data: 'fake-28', strategy: 'async' as const, workers: links };
    host.start({ ...experiment, epochs: null, lr: 1e-4, evalEvery: 1_000_000 });
    const giveUpAtMs = performance.now() + 60_000 + links * 1000;
    while (host.state.run?.phase !== 'running') {
      if (performance.now() > giveUpAtMs) {
        const here = host.state.workers.filter(({ phase }) => phase !== 'gone').length;
        throw new Error(`${here} of ${links} workers came, the run is ${host.state.run?.phase}`);
      }
      await sleep(100);
    }
    const joined = memoryMiB();
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    await sleep(seconds * 1000);
    delay.disable();
    const held = host.state.workers.filter(({ phase }) => phase !== 'gone').length;
    const end = memoryMiB();
    child.stdin.end();
    const { pushes, breaks } = JSON.parse(await output) as LightReport;
    // The server's numbers come a few times a second.
    await sleep(600);
    const { applied = 0, stale = 0, rejected = 0 } = host.state.run?.counters ?? {};
    const pushed = pushes.reduce((sum, one) => sum + one, 0);
    const ms = (nanoseconds: number) => Math.round(nanoseconds / 1e4) / 100;
    return {
      links,
      seconds,
      held,
      breaks,
      pushed,
      answered: applied + stale + rejected,
      pushesPerSecond: Math.round(pushed / seconds),
      memoryMiB: { empty, joined, end },
      loopDelayMs: { p50: ms(delay.percentile(50)), p99: ms(delay.percentile(99)), max: ms(delay.max) },
    };
  } finally {
    child.kill();
    await node.shutDown();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

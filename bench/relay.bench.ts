import { defaultExperiment } from '../src/experiment/experiment.ts';
import { openRelayHost, type RelayHost } from '../src/headless/relay-host.ts';
import { type DrivenHost, launchBrowser, WorkerTab } from '../src/headless/tabs.ts';
import { ensureBuilt } from '../src/node/build.ts';
import { releaseDataChannels } from '../src/node/link/link.ts';
import { startServer } from '../src/relay/serve.ts';
import { interleave } from './interleave.ts';
import { openRun, rateOf, WINDOW_MS } from './paused-run.ts';

export const name = 'relay';
export const describe = 'examples/s with the parameter server in Node ÷ in a tab; worker tabs over WebRTC, wasm';

const SETTLE_MS = 400;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Examples per second of a run that is let go on for a while. */
async function relayRate(host: RelayHost): Promise<number> {
  const look = async () => {
    const { run } = (await host.view()).state;
    return { examples: run?.examples ?? 0, elapsedMs: run?.elapsedMs ?? 0 };
  };
  host.resume();
  await sleep(SETTLE_MS);
  const before = await look();
  await sleep(WINDOW_MS);
  const after = await look();
  host.pause();
  await sleep(SETTLE_MS);
  return ((after.examples - before.examples) * 1000) / (after.elapsedMs - before.elapsedMs);
}

async function reach(host: DrivenHost, step: number): Promise<void> {
  const giveUpAtMs = performance.now() + 60_000;
  while (((await host.view()).state.run?.version ?? 0) < step) {
    if (performance.now() > giveUpAtMs) throw new Error('no training after 60 s');
    await sleep(100);
  }
}

export async function run(args: readonly string[]): Promise<object> {
  const [pairs = 9, workers = 1] = args.map(Number);
  const note = (line: string) => console.error(line);
  const dist = await ensureBuilt(note);
  const server = await startServer({ port: 0, host: '127.0.0.1', dist });
  const browser = await launchBrowser({ isHeaded: false, backend: 'wasm' }, note);
  const relay = await openRelayHost(server.url, dist, 'wasm', note);
  try {
    const results: Record<string, unknown> = {};
    for (const strategy of ['sync', 'async'] as const) {
      const experiment = { ...defaultExperiment, strategy, workers, epochs: null, evalEvery: 1_000_000 };
      const tab = await openRun(browser, server.url, experiment);
      await relay.start(experiment, false);
      const invitation = await relay.invitation();
      const tabs: WorkerTab[] = [];
      for (let index = 0; index < workers; index++) {
        const worker = await WorkerTab.open(browser, server.url, invitation, { index, backend: 'wasm', problem: note });
        await worker.contribute();
        tabs.push(worker);
      }
      await reach(relay, 20);
      relay.pause();
      await sleep(SETTLE_MS);
      results[strategy] = await interleave(
        () => relayRate(relay),
        () => rateOf(tab),
        { pairs, note },
      );
      for (const worker of tabs) await worker.page.context().close();
      await tab.page.context().close();
    }
    return { workers, what: 'examples/s, Node ÷ tab', ...results };
  } finally {
    await browser.close();
    await relay.close();
    await releaseDataChannels();
    await server.close();
  }
}

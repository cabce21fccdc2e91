import { defaultExperiment } from '../src/experiment/experiment.ts';
import { launchBrowser } from '../src/headless/tabs.ts';
import { ensureBuilt } from '../src/node/build.ts';
import { startServer } from '../src/relay/serve.ts';
import { interleave } from './interleave.ts';
import { openRun, rateOf } from './paused-run.ts';

export const name = 'scaling';
export const describe = 'examples/s of sync with two worker tabs ÷ with one; LeNet, batch 64 each, wasm';

export async function run(): Promise<object> {
  const note = (line: string) => console.error(line);
  const app = await startServer({ port: 0, host: '127.0.0.1', dist: await ensureBuilt(note) });
  const browser = await launchBrowser({ isHeaded: false, backend: 'wasm' }, note);
  try {
    const endless = { ...defaultExperiment, model: 'lenet', batch: 64, lr: 0.01, epochs: null, evalEvery: 1_000_000 };
    const one = await openRun(browser, app.url, { ...endless, workers: 1 });
    const two = await openRun(browser, app.url, { ...endless, workers: 2 });
    const twoAgainstOne = await interleave(
      () => rateOf(two),
      () => rateOf(one),
      { note },
    );
    return { what: describe, unit: 'examples/s', twoAgainstOne };
  } finally {
    await browser.close();
    await app.close();
  }
}

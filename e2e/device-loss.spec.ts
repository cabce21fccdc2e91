import { chromiumArgs, findChromium } from '../src/headless/chromium.ts';
import { WorkerTab } from '../src/headless/tabs.ts';
import { expect, test } from './fixtures.ts';
import { startTraining, viewOf, waitForPhase, waitForStep } from './verbs.ts';

/** In the trainer thread: remembers every GPU device, so that it can be taken away. */
const rememberDevices = () => {
  const { requestDevice } = GPUAdapter.prototype;
  const devices: GPUDevice[] = [];
  Object.assign(globalThis, { devices });
  GPUAdapter.prototype.requestDevice = async function (this: GPUAdapter, ...args) {
    const device = await requestDevice.apply(this, args);
    devices.push(device);
    return device;
  };
};

test('a GPU that goes away mid-step costs nothing but time: the worker goes on, and says on what', async ({
  tabs,
  server,
  playwright,
}) => {
  test.setTimeout(120_000);
  const args = chromiumArgs({ webgpu: 'swiftshader' });
  const browser = await playwright.chromium.launch({ executablePath: await findChromium(), args });
  try {
    const host = await tabs.openHost();
    await startTraining(host, { workers: 1, maxSteps: 60, batch: 50, evalEvery: 60 });
    const problems: string[] = [];
    const worker = await WorkerTab.open(browser, server.url, await host.invitation(), {
      index: 0,
      backend: 'webgpu',
      problem: (text) => problems.push(text),
    });
    const thread = worker.page.waitForEvent('worker');
    await worker.contribute();
    const trainer = await thread;
    await trainer.evaluate(rememberDevices);
    for (const [loss, words] of [
      [1, /WebGPU: started again after its device was lost/],
      [2, /WebAssembly/],
    ] as const) {
      await waitForStep(host, loss * 5, 60_000);
      await trainer.evaluate(() => (globalThis as unknown as { devices: GPUDevice[] }).devices.at(-1)?.destroy());
      await expect.poll(async () => (await viewOf(worker)).backend?.why, { timeout: 60_000 }).toMatch(words);
      await expect(worker.page.getByText(words)).toBeVisible();
    }
    await waitForPhase(host, 'finished', 60_000);
    const { run } = (await host.view()).state;
    expect(run?.counters).toMatchObject({ updates: 60, applied: 60, stale: 0, rejected: 0 });
  } finally {
    await browser.close();
  }
});

import { expect, type HostTab, type Tabs, test, type WorkerTab } from './fixtures.ts';
import { button, startTraining, waitForStage } from './verbs.ts';

/* What goes wrong at a worker has words of its own on its page, and the one button that may help. */

const words = (tab: WorkerTab) => tab.page.getByRole('status');

async function hostThatTrains(tabs: Tabs): Promise<HostTab> {
  const host = await tabs.openHost();
  await startTraining(host, { workers: 1 });
  return host;
}

/** Does something in the trainer thread of a worker before it has heard from the host. */
async function contributeWith(tab: WorkerTab, change: () => void): Promise<void> {
  // The host is asked first: it does not answer before the thread is changed.
  let goOn = () => {};
  const isChanged = new Promise<void>((resolve) => (goOn = resolve));
  await tab.page.route('**/signal/join', async (route) => {
    await isChanged;
    await route.continue();
  });
  const thread = tab.page.waitForEvent('worker');
  await tab.contribute();
  await (await thread).evaluate(change);
  goOn();
}

test('data that cannot be fetched is told as such, and can be tried again', async ({ tabs }) => {
  const worker = await tabs.openWorker(await hostThatTrains(tabs));
  await worker.page.route('**/data/mnist/**', (route) => route.abort());
  await worker.contribute();
  await expect(words(worker)).toContainText('The training data cannot be used');
  await expect(words(worker)).toContainText(
    /could not be fetched in 3 tries: .*Check the connection, then try again\./,
  );
  await worker.page.unroute('**/data/mnist/**');
  await button(worker.page, 'Try again').click();
  await waitForStage(worker, 'training');
});

test('a damaged data file is told as such, with what to do about it', async ({ tabs }) => {
  const worker = await tabs.openWorker(await hostThatTrains(tabs));
  const body = Buffer.alloc(1000, 7);
  await worker.page.route('**/data/mnist/train-images*', (route) => route.fulfill({ body }));
  await worker.contribute();
  await expect(words(worker)).toContainText('The training data cannot be used');
  await expect(words(worker)).toContainText(/came damaged .*run npm run build, then try again\./);
});

test('a device without memory is told as such', async ({ tabs }) => {
  const worker = await tabs.openWorker(await hostThatTrains(tabs));
  await contributeWith(worker, () => {
    const Plain = Float32Array;
    globalThis.Float32Array = class extends Plain {
      constructor(...args: unknown[]) {
        if (typeof args[0] === 'number' && args[0] > 7000) throw new RangeError('Array buffer allocation failed');
        super(...(args as []));
      }
    } as typeof Float32Array;
  });
  await expect(words(worker)).toContainText('This device could not compute');
  await expect(words(worker)).toContainText(/not enough memory.*Close other heavy tabs, then reload\./);
  await expect(button(worker.page, 'Reload')).toBeVisible();
});

test('an experiment that this page does not know is told as such', async ({ tabs }) => {
  const worker = await tabs.openWorker(await hostThatTrains(tabs));
  await contributeWith(worker, () => {
    // As from a host whose page is newer.
    const { parse } = JSON;
    JSON.parse = (text: string) => parse(text.replace('"model":"softmax"', '"model":"unheard-of"'));
  });
  await expect(words(worker)).toContainText('This page cannot run the experiment');
  await expect(words(worker)).toContainText(/"unheard-of" is not known here.*reload it\..*ask the host/);
  await expect(button(worker.page, 'Reload')).toBeVisible();
});

test('a page that goes offline before its software is loaded says so', async ({ tabs }) => {
  const worker = await tabs.openWorker(await hostThatTrains(tabs));
  await worker.page.context().setOffline(true);
  await worker.contribute();
  await expect(words(worker)).toContainText('A part of this page did not load');
  await expect(words(worker)).toContainText('Check that this device is online');
});

test('a server that does not answer, and a link that is lost, are the network’s, and it connects again', async ({
  tabs,
}) => {
  const host = await hostThatTrains(tabs);
  const worker = await tabs.openWorker(host);
  await worker.page.route('**/signal/join', (route) => route.abort());
  await worker.contribute();
  await expect(words(worker)).toContainText('The server that introduces tabs does not answer');
  await worker.page.unroute('**/signal/join');
  await waitForStage(worker, 'training');
  await host.page.close();
  await expect(words(worker)).toContainText('The connection to the host was lost');
  await expect(words(worker)).toContainText('The host is not there');
  await expect(words(worker)).toContainText('this goes on by itself');
});

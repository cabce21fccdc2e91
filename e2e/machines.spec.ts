import type { ChildProcess } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { defaultExperiment } from '../src/experiment/experiment.ts';
import { HostTab, WorkerTab } from '../src/headless/tabs.ts';
import { root } from '../src/node/build.ts';
import type { RunReport } from '../src/observe/run-report.ts';
import { expect, test } from './fixtures.ts';
import { Network, whyNoNamespaces } from './namespaces.ts';
import { inHost, startTraining, waitForHost, waitForPhase } from './verbs.ts';

const STEPS = 60;
const volunteers = ['first', 'second'] as const;

let network: Network;
let folder: string;
let relay: { readonly url: string };
let hostsBrowser: Browser;
let workersBrowsers: readonly Browser[] = [];
const problems: string[] = [];
const problem = (text: string) => problems.push(text);

test.beforeAll(async () => {
  test.setTimeout(180_000);
  const why = await whyNoNamespaces();
  if (why !== null) console.error(`\n*** SKIPPED: several machines are not tested here, for ${why}\n`);
  test.skip(why !== null, `no network namespaces: ${why}`);
  network = await Network.make(['relay', 'host', ...volunteers]);
  folder = await network.folder();
  relay = await startRelay(['serve', '--https', '--data-dir', folder]);
  // As after the person has compared the fingerprint and gone on: this certificate and no other.
  const { publicKey } = new X509Certificate(await readFile(join(folder, 'certificate.pem')));
  const print = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
  const open = (machine: string) => network.browser(machine, [`--ignore-certificate-errors-spki-list=${print}`]);
  [hostsBrowser, ...workersBrowsers] = (await Promise.all(['host', ...volunteers].map(open))) as [
    Browser,
    ...Browser[],
  ];
});
test.afterEach(async () => {
  problems.length = 0;
  const contexts = [hostsBrowser, ...workersBrowsers].flatMap((browser) => browser.contexts());
  await Promise.all(contexts.map((context) => context.close()));
});
test.afterAll(() => network?.remove());

/** A relay on its machine, once it has shown where others find it. */
async function startRelay(args: readonly string[]) {
  const child = network.node('relay', [join(root, 'bin/manyhands.js'), ...args]);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = endOf(child);
  const find = (what: RegExp) => what.exec(output)?.[1];
  const isUp = () => find(/Other machines +(\S+)/) !== undefined || child.exitCode !== null;
  await expect.poll(isUp, { message: 'the relay is up', timeout: 60_000, intervals: [50] }).toBe(true);
  const url = find(/Other machines +(\S+)/);
  if (url === undefined) throw new Error(`the relay ended:\n${output}`);
  expect(url).toBe(`https://${network.addressOf('relay')}:${new URL(url).port}/`);
  return { url, find, ended, output: () => output };
}

const endOf = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once('exit', resolve));

async function openWorkers(link: string): Promise<WorkerTab[]> {
  const { origin, hash } = new URL(link);
  return Promise.all(
    workersBrowsers.map((browser, index) =>
      WorkerTab.open(browser, `${origin}/`, hash.slice(1), { index, backend: 'auto', problem }),
    ),
  );
}

/** Trains to the end in three browsers on three machines. */
async function train() {
  const host = await HostTab.open(hostsBrowser, relay.url, defaultExperiment, 'wasm', problem);
  await startTraining(host, { workers: 2, maxSteps: STEPS, evalEvery: STEPS });
  // Pages and data have been loaded before the first step, so that from there on cables carry training alone.
  await inHost(host, (control) => control.pause());
  const link = await host.page.getByRole('textbox', { name: 'Join link' }).inputValue();
  const workers = await openWorkers(link);
  const clickedAtMs = performance.now();
  await Promise.all(workers.map((worker) => worker.contribute()));
  await waitForHost(host, 'both are here', ({ workers }) => workers.length === 2);
  const joinedMs = performance.now() - clickedAtMs;
  await waitForHost(host, 'both are ready', ({ workers }) => workers.every(({ phase }) => phase === 'ready'));
  const readyMs = performance.now() - clickedAtMs;
  const before = await carried();
  await inHost(host, (control) => control.resume());
  await waitForPhase(host, 'finished');
  const after = await carried();
  const { state } = await host.view();
  expect(state.run?.version).toBe(STEPS);
  for (const { examples } of state.workers) expect(examples).toBe(STEPS * defaultExperiment.batch);
  const hostBytes = after.host - before.host;
  const relayShare = (after.relay - before.relay) / hostBytes;
  const stepMs = (state.run?.elapsedMs ?? 0) / STEPS;
  return { host, workers, joinedMs, readyMs, stepMs, hostBytes, relayShare };
}

async function carried() {
  const [host, relay] = await Promise.all([network.carriedBytes('host'), network.carriedBytes('relay')]);
  return { host, relay };
}

function say(how: string, { joinedMs, readyMs, stepMs, relayShare }: Awaited<ReturnType<typeof train>>): void {
  const [joined, ready] = [joinedMs, readyMs].map((ms) => `${(ms / 1000).toFixed(1)} s`);
  const shares = `${relayShare.toFixed(3)} bytes at the relay for each at the host`;
  console.log(
    `machines, ${how}: joined in ${joined}, ready to train in ${ready}, ${stepMs.toFixed(0)} ms a step, ${shares}`,
  );
}

const isSecure = (page: Page) => page.evaluate(() => isSecureContext && 'gpu' in navigator);
const invitations = ({ page }: HostTab) => page.getByRole('region', { name: 'Invite workers' });

test('on four machines, over https, tabs train from address to address', async () => {
  const trained = await train();
  const { host, workers, hostBytes, relayShare } = trained;
  say('direct', trained);
  for (const { page } of [host, ...workers]) expect(await isSecure(page)).toBe(true);
  for (const { page } of workers) await expect(page.getByRole('note')).toHaveCount(0);
  await expect(invitations(host)).not.toContainText('found no direct way');
  // What the host's cable carries is gradients and parameters, and they do not pass the relay.
  expect(hostBytes).toBeGreaterThan(5e6);
  expect(relayShare).toBeLessThan(0.1);
  expect(problems).toEqual([]);
});

test('with UDP blocked between workers and host data goes through the relay, and every page says so', async () => {
  const unblock = await Promise.all(volunteers.map((volunteer) => network.blockUdp(volunteer, 'host')));
  try {
    const trained = await train();
    const { host, workers, hostBytes, relayShare } = trained;
    say('UDP blocked', trained);
    for (const { page } of workers) {
      await expect(page.getByRole('note')).toContainText('data goes through the server of this page');
    }
    await expect(invitations(host)).toContainText('2 workers found no direct way');
    // Whatever reaches the host came to the relay first, and the other way round.
    expect(hostBytes).toBeGreaterThan(5e6);
    expect(relayShare).toBeGreaterThan(1.8);
    expect(problems).toEqual([]);
  } finally {
    for (const restore of unblock) await restore();
  }
});

test('a host in the relay’s own process trains with browsers on other machines', async () => {
  const json = join(folder, 'report.json');
  const options = `--workers 2 --max-steps ${STEPS} --eval-every ${STEPS} --backend wasm`.split(' ');
  const hosting = await startRelay(['serve', '--host', '--https', '--data-dir', folder, '--json', json, ...options]);
  const link = () => hosting.find(/Join link +(\S+)/);
  await expect.poll(link, { intervals: [50] }).toBeDefined();
  const workers = await openWorkers(`${link()}&backend=wasm`);
  await Promise.all(workers.map((worker) => worker.contribute()));
  expect(await hosting.ended, hosting.output()).toBe(0);
  const report = JSON.parse(await readFile(json, 'utf8')) as RunReport;
  expect(report.workers.map(({ examples }) => examples)).toEqual([1, 1].map(() => STEPS * defaultExperiment.batch));
  for (const { page } of workers) await expect(page.getByRole('note')).toHaveCount(0);
});

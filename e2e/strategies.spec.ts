import { tallyBytes } from '../src/core/wire/traffic.ts';
import type { Experiment } from '../src/experiment/experiment.ts';
import type { HostState } from '../src/host/state.ts';
import { resolveExperiment } from '../src/models/plan.ts';
import { expect, type HostTab, test, type WorkerTab } from './fixtures.ts';
import { button, curvesOf, startTraining, waitForHost, waitForPhase, waitForStep } from './verbs.ts';

async function trainToEnd(host: HostTab, experiment: Partial<Experiment>, timeoutMs = 60_000): Promise<HostState> {
  await startTraining(host, { evalEvery: 1_000_000, seed: 7, ...experiment });
  await waitForPhase(host, 'finished', timeoutMs);
  return (await host.view()).state;
}

/** What the browser's own counters say went up to the host, once they have caught up with ours. */
async function channelBytesUp(host: HostTab): Promise<number> {
  const total = (state: HostState) => state.workers.reduce((sum, row) => sum + (row.transport?.bytesReceived ?? 0), 0);
  const counted = (state: HostState) =>
    state.workers.reduce((sum, { traffic: { received } }) => sum + (tallyBytes(received) ?? 0), 0);
  return waitForHost(host, 'the channel’s counters', (state) => total(state) >= counted(state) && total(state));
}

const codecs = [
  { title: 'float32', up: 'float32', most: 1.02 },
  { title: 'float16', up: 'float16', most: 0.52 },
  { title: 'int8', up: 'int8', most: 0.27 },
  { title: 'top 1 %', up: 'topk', most: 0.02 },
] as const;

test('codecs: bytes at the data channel per update of LeNet', async ({ tabs }) => {
  const host = await tabs.openHost({ experiment: { model: 'lenet' } });
  await tabs.contribute(host, 1);
  for (const { title, up, most } of codecs) {
    const experiment = { model: 'lenet', batch: 8, lr: 0.01, maxSteps: 40, up } as const;
    const { run, workers } = await trainToEnd(host, experiment);
    const { size } = resolveExperiment(run?.experiment as Experiment).schema;
    const pushes = workers.reduce((sum, { applied, stale, rejected }) => sum + applied + stale + rejected, 0);
    const share = (await channelBytesUp(host)) / pushes / (4 * size);
    console.log(`${title}: ${share.toFixed(4)} of 4 × parameters per update`);
    expect(share).toBeLessThanOrEqual(most);
  }
  expect(tabs.problems).toEqual([]);
});

test('allreduce ×3 learns what sync ×3 learns, and the host carries next to nothing', async ({ tabs }) => {
  const host = await tabs.openHost();
  await tabs.contribute(host, 3);
  const shape = { model: 'lenet', workers: 3, batch: 16, lr: 0.05, maxSteps: 40 } as const;
  const hostBytes = ({ workers }: HostState) =>
    workers.reduce((sum, { traffic: { sent, received } }) => sum + tallyBytes(sent) + tallyBytes(received), 0);

  const sync = await trainToEnd(host, { strategy: 'sync', ...shape });
  const syncLosses = (await curvesOf(host)).train.map(({ loss }) => loss);
  const ring = await trainToEnd(host, { strategy: 'allreduce', ...shape });
  const ringLosses = (await curvesOf(host)).train.map(({ loss }) => loss);

  expect(ringLosses).toHaveLength(40);
  expect(Math.max(...ringLosses.map((loss, i) => Math.abs(loss - (syncLosses[i] ?? Number.NaN))))).toBeLessThan(1e-4);
  // The last look at the test set is the one copy of the parameters that the host gets.
  const { size } = resolveExperiment(ring.run?.experiment as Experiment).schema;
  const share = (hostBytes(ring) - 4 * size) / hostBytes(sync);
  console.log(`the host’s traffic, evaluation apart: ${(100 * share).toFixed(2)} % of sync’s`);
  expect(share).toBeLessThanOrEqual(0.01);
  expect(ring.workers.filter(({ isLocal }) => !isLocal).every(({ peerBytes }) => peerBytes > 40 * size)).toBe(true);
  expect(tabs.problems).toEqual([]);
});

test('allreduce forms its ring anew when a tab is closed, and takes in one that comes later', async ({ tabs }) => {
  const host = await tabs.openHost();
  const workers = (await tabs.contribute(host, 3)) as [WorkerTab, WorkerTab, WorkerTab];
  await startTraining(host, {
    strategy: 'allreduce',
    workers: 3,
    optimizer: 'adam',
    lr: 0.01,
    epochs: 1,
    evalEvery: 100,
  });
  await waitForStep(host, 20);
  await workers[0].page.close();
  await waitForStep(host, 60);
  // Otherwise the run may be over before a tab on a busy machine is there.
  await button(host.page, 'Pause').click();
  await tabs.contribute(host, 1);
  await waitForHost(host, 'the newcomer is ready', ({ workers: rows }) => {
    const last = rows.at(-1);
    return last?.phase === 'ready' && last.applied === 0;
  });
  await button(host.page, 'Resume').click();
  await waitForPhase(host, 'finished', 60_000);
  const { run, workers: rows } = (await host.view()).state;
  expect(run?.examples).toBe(60_000);
  expect(rows.reduce((sum, { examples }) => sum + examples, 0)).toBe(60_000);
  expect(run?.counters.lost).toBe(0);
  expect(rows.at(-1)?.applied).toBeGreaterThan(0);
});

test('one worker ten times slower holds up sync, but neither sync with a backup worker nor async', async ({ tabs }) => {
  const host = await tabs.openHost();
  await tabs.contribute(host, 4);
  // Nearly all of a step is sleep, so that the machine's own speed hardly matters.
  const even = '*:slow=30';
  const oneSlow = '*:slow=30 4:slow=300';
  const updatesPerSecond = async (experiment: Partial<Experiment>) => {
    const { run } = await trainToEnd(host, { workers: 4, batch: 100, lr: 0.1, minutes: 4 / 60, ...experiment });
    return (run?.version ?? 0) / ((run?.elapsedMs ?? 1) / 1000);
  };
  const base = await updatesPerSecond({ strategy: 'sync', emulate: even });
  const plain = (await updatesPerSecond({ strategy: 'sync', emulate: oneSlow })) / base;
  const backup = (await updatesPerSecond({ strategy: 'sync', backup: 1, emulate: oneSlow })) / base;
  const async = await updatesPerSecond({ strategy: 'async', emulate: oneSlow });
  console.log(`rounds/s against ${base.toFixed(1)}: sync ${plain.toFixed(2)}, with a backup ${backup.toFixed(2)}`);
  expect(plain).toBeLessThan(0.5);
  expect(backup).toBeGreaterThan(0.7);
  // Three workers go on at their own pace.
  expect(async).toBeGreaterThan(2 * base);
});

test('late and lost: bounded, local and overlapped runs finish over emulated links', async ({ tabs }) => {
  const host = await tabs.openHost();
  await tabs.contribute(host, 2);
  const settings: Partial<Experiment>[] = [
    { strategy: 'bounded', lead: 2 },
    { strategy: 'local', localSteps: 8, up: 'int8', down: 'int8' },
    { strategy: 'async', overlap: true, damping: 'inverse' },
  ];
  for (const setting of settings) {
    const emulate = '*:latency=10,mbps=50,loss=0.01';
    const { run } = await trainToEnd(host, { workers: 2, epochs: 0.1, lr: 0.2, emulate, ...setting });
    expect(run?.counters.rejected).toBe(0);
    expect((await curvesOf(host)).test.at(-1)?.accuracy).toBeGreaterThan(0.75);
  }
  expect(tabs.problems).toEqual([]);
});

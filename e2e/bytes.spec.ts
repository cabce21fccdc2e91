import { kinds } from '../src/core/wire/protocol.ts';
import { type Traffic, tallyBytes } from '../src/core/wire/traffic.ts';
import type { HostState, WorkerRow } from '../src/host/state.ts';
import { expect, type HostTab, test, type WorkerTab } from './fixtures.ts';
import { numberOf, startTraining, trainAgain, viewOf, waitForHost, waitForPhase } from './verbs.ts';

/** Control messages go on in a run that is at rest: a beat every five seconds, progress every second. */
const CONTROL_SLACK_BYTES = 2000;
/** The parameters of softmax on 28 × 28 pixels and ten classes, as float32. */
const PARAMS_BYTES = 4 * 7850;

/** A worker of a run at rest, once the host has looked up the browser's counts again: each second adds a message. */
async function settled(host: HostTab, worker: number): Promise<WorkerRow> {
  const rowIn = ({ workers }: HostState) => workers.find((row) => row.worker === worker);
  const before = rowIn((await host.view()).state)?.transport?.messagesSent ?? 0;
  return waitForHost(host, `fresh transport counts of worker ${worker}`, (state) => {
    const row = rowIn(state);
    return row?.transport && row.transport.messagesSent > before && row;
  });
}

/** The worker's page counts from its joining on; `before` is what it had counted when the run began. */
async function expectCountsToAgree(host: HostTab, tab: WorkerTab, parameters: number, before?: Traffic): Promise<void> {
  const row = await settled(host, await numberOf(tab));
  const { traffic, transport } = row;
  expect(Math.abs(tallyBytes(traffic.sent) - (transport?.bytesSent ?? 0))).toBeLessThan(CONTROL_SLACK_BYTES);
  expect(Math.abs(tallyBytes(traffic.received) - (transport?.bytesReceived ?? 0))).toBeLessThan(CONTROL_SLACK_BYTES);
  const frames = (tally: WorkerRow['traffic']['sent']) => kinds.reduce((sum, kind) => sum + tally[kind].frames, 0);
  expect(Math.abs(frames(traffic.sent) - (transport?.messagesSent ?? 0))).toBeLessThanOrEqual(10);
  expect(Math.abs(frames(traffic.received) - (transport?.messagesReceived ?? 0))).toBeLessThanOrEqual(10);

  // One exchange per step: a gradient up, parameters down, and next to nothing beside them.
  const pushes = row.applied + row.stale;
  expect(traffic.received.gradients.frames).toBe(pushes);
  expect(traffic.sent.parameters.frames).toBe(parameters);
  expect(traffic.received.gradients.bytes / pushes / PARAMS_BYTES).toBeLessThan(1.02);
  expect(traffic.sent.parameters.bytes / parameters / PARAMS_BYTES).toBeLessThan(1.02);
  expect(traffic.received.parameters.bytes + traffic.sent.gradients.bytes).toBe(0);

  // The other end of the link counted the same.
  const there = (await viewOf(tab)).traffic;
  const since = (now: number, then: number | undefined) => now - (then ?? 0);
  expect(since(there.sent.gradients.bytes, before?.sent.gradients.bytes)).toBe(traffic.received.gradients.bytes);
  expect(since(there.received.parameters.bytes, before?.received.parameters.bytes)).toBe(traffic.sent.parameters.bytes);
}

test('bytes counted by kind and direction add up to what the data channels report (B2)', async ({ tabs }) => {
  const host = await tabs.openHost();
  await startTraining(host, { workers: 2, maxSteps: 40 });
  const workers = await tabs.contribute(host, 2);
  await waitForPhase(host, 'finished');
  for (const worker of workers) await expectCountsToAgree(host, worker, 40);

  await host.page.getByRole('tab', { name: 'Bytes' }).click();
  for (const worker of workers) {
    const { name } = (await viewOf(worker)).identity ?? { name: '?' };
    const row = host.page.locator('.traffic').getByRole('row', { name: `${name} sent` });
    await expect(row.getByRole('cell').nth(2)).toHaveText(/1\.3\sMB/);
  }
});

test('a second run counts its own bytes only, by us and by the browser', async ({ tabs }) => {
  const host = await tabs.openHost({ experiment: { workers: 1, maxSteps: 30, epochs: null } });
  const [worker] = (await tabs.contribute(host, 1)) as [WorkerTab];
  await startTraining(host, { maxSteps: 30 });
  await waitForPhase(host, 'finished');
  const before = (await viewOf(worker)).traffic;
  await trainAgain(host);
  await expectCountsToAgree(host, worker, 30, before);
});

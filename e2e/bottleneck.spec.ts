import type { Experiment } from '../src/experiment/experiment.ts';
import { adviceWords } from '../src/observe/bottleneck/advice.ts';
import type { Bottleneck } from '../src/observe/bottleneck/bottleneck.ts';
import { expect, type HostTab, test } from './fixtures.ts';
import { startTraining, waitForPhase } from './verbs.ts';

async function bottleneckOf(host: HostTab, experiment: Partial<Experiment>): Promise<Bottleneck> {
  await startTraining(host, { evalEvery: 1_000_000, workers: 2, lr: 0.01, minutes: 4 / 60, ...experiment });
  await waitForPhase(host, 'finished', 60_000);
  const bottleneck = (await host.report())?.bottleneck;
  if (!bottleneck) throw new Error('the run has no bottleneck');
  const { bound, shares, sentence, because, tryThis } = bottleneck;
  const numbers = Object.entries(shares).map(([name, share]) => `${name} ${share.toFixed(2)}`);
  console.log(
    [
      `${bound}: ${numbers.join(', ')}`,
      sentence,
      ...because,
      ...tryThis.map((advice) => `→ ${adviceWords(advice)}`),
    ].join('\n  '),
  );
  return bottleneck;
}

// Sleeps and throttled links take most of each step, so that the machine's own speed hardly matters.
test('a run that is made to be bound by something is said to be', async ({ tabs }) => {
  const host = await tabs.openHost({ experiment: { model: 'lenet' } });
  await tabs.contribute(host, 2);
  const lenet = { model: 'lenet', batch: 16 } as const;

  const compute = await bottleneckOf(host, { ...lenet, strategy: 'sync', emulate: '*:slow=30' });
  expect(compute.bound).toBe('compute');

  const network = await bottleneckOf(host, { ...lenet, strategy: 'async', emulate: '*:mbps=20' });
  expect(network.bound).toBe('network');

  const server = await bottleneckOf(host, { model: 'softmax', strategy: 'async', emulate: 'host:apply=60' });
  expect(server.bound).toBe('server');

  const stragglers = await bottleneckOf(host, { ...lenet, strategy: 'sync', emulate: '*:slow=3 2:slow=50' });
  expect(stragglers.bound).toBe('stragglers');
  expect(stragglers.sentence).toContain('(worker 2)');

  const evaluation = await bottleneckOf(host, { ...lenet, strategy: 'sync', evalEvery: 1 });
  expect(evaluation.bound).toBe('evaluation');
  expect(tabs.problems).toEqual([]);
});

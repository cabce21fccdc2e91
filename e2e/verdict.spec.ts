import type { Experiment } from '../src/experiment/experiment.ts';
import type { RunVerdict } from '../src/observe/verdict.ts';
import { adviceWords } from '../src/observe/verdict-advice.ts';
import { expect, type HostTab, test } from './fixtures.ts';
import { startTraining, waitForPhase } from './verbs.ts';

async function verdictOf(host: HostTab, experiment: Partial<Experiment>): Promise<RunVerdict> {
  await startTraining(host, { evalEvery: 1_000_000, workers: 2, lr: 0.01, minutes: 4 / 60, ...experiment });
  await waitForPhase(host, 'finished', 60_000);
  const verdict = (await host.report())?.verdict;
  if (!verdict) throw new Error('the run has no verdict');
  const { bound, shares, sentence, because, tryThis } = verdict;
  const numbers = Object.entries(shares).map(([name, share]) => `${name} ${share.toFixed(2)}`);
  console.log(
    [
      `${bound}: ${numbers.join(', ')}`,
      sentence,
      ...because,
      ...tryThis.map((advice) => `→ ${adviceWords(advice)}`),
    ].join('\n  '),
  );
  return verdict;
}

// Sleeps and throttled links take most of each step, so that the machine's own speed hardly matters.
test('a run that is made to be bound by something is said to be', async ({ tabs }) => {
  const host = await tabs.openHost({ experiment: { model: 'lenet' } });
  await tabs.contribute(host, 2);
  const lenet = { model: 'lenet', batch: 16 } as const;

  const compute = await verdictOf(host, { ...lenet, strategy: 'sync', emulate: '*:slow=30' });
  expect(compute.bound).toBe('compute');

  const network = await verdictOf(host, { ...lenet, strategy: 'async', emulate: '*:mbps=20' });
  expect(network.bound).toBe('network');

  const server = await verdictOf(host, { model: 'softmax', strategy: 'async', emulate: 'host:apply=60' });
  expect(server.bound).toBe('server');

  const stragglers = await verdictOf(host, { ...lenet, strategy: 'sync', emulate: '*:slow=3 2:slow=50' });
  expect(stragglers.bound).toBe('stragglers');
  expect(stragglers.sentence).toContain('(worker 2)');

  const evaluation = await verdictOf(host, { ...lenet, strategy: 'sync', evalEvery: 1 });
  expect(evaluation.bound).toBe('evaluation');
  expect(tabs.problems).toEqual([]);
});

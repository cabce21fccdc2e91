import { expect, type HostTab, test } from './fixtures.ts';
import { curvesOf, startTraining, waitForPhase } from './verbs.ts';

/** Runs to the end, in the host's tab if `trainsHere`, else in worker tabs that are there or come. */
async function trainToEnd(host: HostTab, experiment: Parameters<typeof startTraining>[1], trainsHere: boolean) {
  await startTraining(host, { evalEvery: 1000, seed: 7, ...experiment }, trainsHere);
  await waitForPhase(host, 'finished');
  const { run, workers } = (await host.view()).state;
  return { run, workers, losses: (await curvesOf(host)).train.map(({ loss }) => loss) };
}

test('sync of 4 workers × batch 25 is single × batch 100, step by step, over 50 steps of seed 7', async ({ tabs }) => {
  const host = await tabs.openHost();
  const single = await trainToEnd(host, { strategy: 'single', batch: 100, maxSteps: 50 }, true);
  const joining = tabs.contribute(host, 4);
  const sync = await trainToEnd(host, { strategy: 'sync', workers: 4, batch: 25, maxSteps: 50 }, false);
  await joining;
  expect(single.losses).toHaveLength(50);
  expect(sync.losses).toHaveLength(50);
  expect(single.losses.at(-1)).toBeLessThan(1);
  const apart = sync.losses.map((loss, step) => Math.abs(loss - (single.losses[step] ?? Number.NaN)));
  console.log(`the two series are at most ${Math.max(...apart).toExponential(1)} apart`);
  expect(Math.max(...apart)).toBeLessThan(1e-4);
  const four = sync.workers.filter(({ isLocal }) => !isLocal);
  expect(four.map(({ applied }) => applied)).toEqual([50, 50, 50, 50]);
  expect(tabs.problems).toEqual([]);
});

test('sync of 3 workers does a third of single’s steps per worker for the same examples', async ({ tabs }) => {
  const host = await tabs.openHost();
  const single = await trainToEnd(host, { strategy: 'single', epochs: 0.1 }, true);
  const joining = tabs.contribute(host, 3);
  const sync = await trainToEnd(host, { strategy: 'sync', workers: 3, epochs: 0.1 }, false);
  await joining;
  expect([single.run?.examples, sync.run?.examples]).toEqual([6000, 6000]);
  expect(single.run?.version).toBe(60);
  expect(sync.run?.version).toBe(20);
  expect(
    sync.workers
      .filter(({ isLocal }) => !isLocal)
      .map(({ applied, stale, rejected }) => ({ applied, stale, rejected })),
  ).toEqual(Array.from({ length: 3 }, () => ({ applied: 20, stale: 0, rejected: 0 })));
  expect(tabs.problems).toEqual([]);
});

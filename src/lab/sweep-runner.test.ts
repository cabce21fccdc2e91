import { expect, test } from 'vitest';
import { parseSweep } from './sweep.ts';
import { sweepForTests } from './sweep-for-tests.ts';
import type { SweepOutcome } from './sweep-result.ts';
import { type RunWord, runSweep, type SweepProgress, type SweepWork } from './sweep-runner.ts';

const sweep = parseSweep({
  name: 'sweep',
  base: { maxSteps: 100 },
  vary: { batch: [10, 20, 40] },
  quick: { vary: {} },
});
const oneQuick = parseSweep({ ...sweep, quick: { vary: { batch: [10] } } });

/** Each step takes a millisecond per example and a hundred for the exchange, by the clock of the test. */
function rig(changes: Partial<SweepWork> = {}) {
  let nowMs = 0;
  const ran: string[] = [];
  const seen: SweepProgress[] = [];
  const work: SweepWork = {
    async run({ key, experiment }) {
      ran.push(key);
      nowMs += 100 * (experiment.batch + 100);
      return { report: null, failure: null };
    },
    kept: [],
    onProgress: (progress) => seen.push(progress),
    nowMs: () => nowMs,
    ...changes,
  };
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { work, ran, seen, pass };
}

test('runs follow one another, and each is kept before the next begins', async () => {
  const kept: string[] = [];
  const { work, ran } = rig({
    async onOutcome({ key }) {
      await Promise.resolve();
      kept.push(`${key}, of ${ran.length}`);
    },
  });
  const end = await runSweep(sweep, false, work).done;
  expect(ran).toEqual(['01-batch-10', '02-batch-20', '03-batch-40']);
  expect(kept).toEqual(['01-batch-10, of 1', '02-batch-20, of 2', '03-batch-40, of 3']);
  expect(end).toMatchObject({ phase: 'ended', run: null, leftMs: 0, missing: [] });
  expect(end.outcomes.map(({ label }) => label)).toEqual(['batch 10', 'batch 20', 'batch 40']);
});

test('the time left follows from runs that are done, by how much more there is to do', async () => {
  const { work, seen } = rig();
  await runSweep(sweep, false, work).done;
  const atStart = seen.filter(({ text }) => text === 'starting').map(({ number, leftMs }) => [number, leftMs]);
  expect(atStart).toEqual([
    [1, null],
    [2, 12_000 + 14_000],
    [3, 14_000],
  ]);
});

test('where runs go on to a loss, larger batches are expected to take less time', async () => {
  const { work, seen } = rig();
  const toLoss = parseSweep({ name: 'to-loss', base: { untilLoss: 0.35 }, vary: { batch: [10, 100] } });
  await runSweep(toLoss, false, work).done;
  // The first took 11 s; an example costs eleven units in batches of 10 and two in batches of 100.
  expect(seen.findLast(({ text }) => text === 'starting')?.leftMs).toBeCloseTo(2000, 6);
});

test('what it takes to start and to end a run is added to runs that were done before, which tell only of their training', async () => {
  const trained = (batch: number) => {
    const report = sweepForTests({ seed: 1 }).outcomes[0]?.report ?? expect.fail();
    return { ...report, wallSeconds: (batch + 100) / 10 };
  };
  const { work, seen, pass } = rig({
    async run({ experiment: { batch } }) {
      pass(5000 + 100 * (batch + 100));
      return { report: trained(batch), failure: null };
    },
  });
  const [first] = (await runSweep(sweep, false, { ...work, isWanted: ({ label }) => label === 'batch 10' }).done)
    .outcomes;
  seen.length = 0;
  await runSweep(sweep, false, { ...work, kept: [first ?? expect.fail()] }).done;
  expect(seen.filter(({ text }) => text === 'starting').map(({ leftMs }) => leftMs)).toEqual([
    12_000 + 14_000,
    5000 + 14_000,
  ]);
});

test('the run under way tells of itself and of those to come', async () => {
  const { work, seen, pass } = rig({
    async run({ experiment }, tell: (word: RunWord) => void) {
      pass(25 * (experiment.batch + 100));
      tell({ text: 'step 25', leftMs: 75 * (experiment.batch + 100) });
      return null;
    },
  });
  await runSweep(sweep, false, work).done;
  expect(seen.find(({ text }) => text === 'step 25')).toMatchObject({
    number: 1,
    count: 3,
    leftMs: 8250 + 12_000 + 14_000,
  });
});

test('a run that takes longer than others let expect is never said to end at once', async () => {
  const { work, seen, pass } = rig({
    async run({ experiment: { batch } }, tell: (word: RunWord) => void) {
      pass(100 * (batch + 100));
      if (batch === 10) return { report: null, failure: null };
      pass(8000);
      tell({ text: 'overdue', leftMs: null });
      return null;
    },
  });
  await runSweep(sweep, false, { ...work, isWanted: ({ label }) => label !== 'batch 40' }).done;
  expect(seen.find(({ text }) => text === 'overdue')).toMatchObject({ number: 2, leftMs: 5000 });
});

test('what is done already is not run again, and what is not wanted is not run', async () => {
  const { work, ran } = rig();
  const first = await runSweep(sweep, false, { ...work, isWanted: ({ label }) => label === 'batch 20' }).done;
  expect(ran).toEqual(['02-batch-20']);
  expect(first.missing.map(({ key }) => key)).toEqual(['01-batch-10', '03-batch-40']);
  const second = await runSweep(sweep, false, { ...work, kept: first.outcomes }).done;
  expect(ran).toEqual(['02-batch-20', '01-batch-10', '03-batch-40']);
  expect(second.outcomes.map(({ key }) => key)).toEqual(['01-batch-10', '02-batch-20', '03-batch-40']);
});

test('a failed run is an outcome, and the sweep goes on', async () => {
  const outcomes: SweepOutcome[] = [];
  const { work } = rig({
    run: async ({ experiment }) => ({ report: null, failure: experiment.batch === 20 ? 'it broke' : null }),
    onOutcome: (outcome) => {
      outcomes.push(outcome);
    },
  });
  await runSweep(sweep, false, work).done;
  expect(outcomes.map(({ failure }) => failure)).toEqual([null, 'it broke', null]);
});

test('after a stop no run begins, and one that was broken off is still to be done', async () => {
  const { work, ran } = rig({
    async run({ key }) {
      ran.push(key);
      if (ran.length < 2) return { report: null, failure: null };
      running.stop();
      return null;
    },
  });
  const running = runSweep(sweep, false, work);
  const end = await running.done;
  expect(end.phase).toBe('ended');
  expect(end.missing.map(({ key }) => key)).toEqual(['02-batch-20', '03-batch-40']);
});

test('a pause holds the next run until it goes on', async () => {
  const { work, ran } = rig();
  const running = runSweep(sweep, false, { ...work, onOutcome: () => running.pause() });
  await Promise.resolve();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(ran).toEqual(['01-batch-10']);
  running.resume();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(ran).toEqual(['01-batch-10', '02-batch-20']);
  running.stop();
  expect((await running.done).missing).toHaveLength(1);
});

test('the quick size is laid out where it is asked for', async () => {
  const { work, ran } = rig();
  await runSweep(oneQuick, true, work).done;
  expect(ran).toEqual(['01-sync']);
});

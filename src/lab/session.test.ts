import { expect, test } from 'vitest';
import type { RunOrder, RunStage, RunTrainer, TrainedRun } from './run-order.ts';
import { type LabGoal, type LabProgress, LabSession, type OutcomeStore } from './session.ts';
import { parseSweep } from './sweep.ts';
import { sweepForTests } from './sweep-for-tests.ts';
import type { SweepOutcome } from './sweep-result.ts';

const sweep = parseSweep({ name: 'sweep', base: { maxSteps: 100 }, vary: { batch: [10, 20, 40] } });

const someReport = sweepForTests({ seed: 1 }).outcomes[0]?.report ?? expect.fail();
/** A run that trained to its end in so many milliseconds. */
const trained = (trainedMs: number): TrainedRun<string> => ({
  report: { ...someReport, wallSeconds: trainedMs / 1000, profile: null },
  failure: null,
  model: null,
  problems: [],
  machine: { cores: 2 },
});
const failed = (failure: string): TrainedRun<string> => ({ ...trained(0), report: null, failure });
const starting = ({ stage }: LabProgress) => stage?.kind === 'starting';
const textOf = ({ stage }: LabProgress) => (stage !== null && 'text' in stage ? stage.text : '');

interface Changes extends Partial<RunTrainer<string>> {
  readonly load?: OutcomeStore<string>['load'];
  readonly keep?: OutcomeStore<string>['keep'];
  readonly sweep?: typeof sweep;
  readonly known?: readonly SweepOutcome[];
}

/** Each step takes a millisecond per example and a hundred for the exchange, by the clock of the test. */
function rig(changes: Changes = {}) {
  let nowMs = 0;
  const ran: string[] = [];
  const orders: RunOrder[] = [];
  const seen: LabProgress[] = [];
  const pass = (ms: number) => {
    nowMs += ms;
  };
  const trainer: RunTrainer<string> = {
    async train(order) {
      ran.push(order.key);
      orders.push(order);
      const tookMs = 100 * (order.experiment.batch + 100);
      pass(tookMs);
      return trained(tookMs);
    },
    breakOff: () => {},
    ...changes,
  };
  const info = { sweep: changes.sweep ?? sweep, isQuick: false, command: '', machine: {}, startedAt: '' };
  const session = new LabSession<string>(
    info,
    {
      store: { load: async () => ({ outcomes: [] }), keep: async () => {}, ...changes },
      trainer,
      keepsLargeModels: false,
      onProgress: (progress) => seen.push(progress),
      nowMs: () => nowMs,
    },
    changes.known,
  );
  const run = (goal?: LabGoal) => session.run(goal);
  return { session, run, ran, orders, seen, pass };
}

test('runs follow one another, and each is kept before the next begins', async () => {
  const kept: string[] = [];
  const { run, ran } = rig({
    async keep({ key }) {
      await Promise.resolve();
      kept.push(`${key}, of ${ran.length}`);
    },
  });
  const end = await run();
  expect(ran).toEqual(['01-batch-10', '02-batch-20', '03-batch-40']);
  expect(kept).toEqual(['01-batch-10, of 1', '02-batch-20, of 2', '03-batch-40, of 3']);
  expect(end).toMatchObject({ phase: 'ended', run: null, leftMs: 0, missing: [] });
  expect(end.outcomes.map(({ label }) => label)).toEqual(['batch 10', 'batch 20', 'batch 40']);
});

test('the time left follows from runs that are done, by how much more there is to do', async () => {
  const { run, seen } = rig();
  await run();
  expect(seen.filter(starting).map(({ number, leftMs }) => [number, leftMs])).toEqual([
    [1, null],
    [2, 12_000 + 14_000],
    [3, 14_000],
  ]);
});

test('where runs go on to a loss, larger batches are expected to take less time', async () => {
  const toLoss = parseSweep({ name: 'to-loss', base: { untilLoss: 0.35 }, vary: { batch: [10, 100] } });
  const { run, seen } = rig({ sweep: toLoss });
  await run();
  // The first took 11 s; an example costs eleven units in batches of 10 and two in batches of 100.
  expect(seen.findLast(starting)?.leftMs).toBeCloseTo(2000, 6);
});

test('what it takes to start and to end a run is added to runs that were done before, which tell only of their training', async () => {
  const slow = {
    async train({ experiment: { batch } }: RunOrder) {
      second.pass(5000 + 100 * (batch + 100));
      return trained(100 * (batch + 100));
    },
  };
  const { outcomes } = await rig().run({ isWanted: ({ label }) => label === 'batch 10' });
  const second = rig({ ...slow, known: outcomes });
  await second.run();
  expect(second.seen.filter(starting).map(({ leftMs }) => leftMs)).toEqual([12_000 + 14_000, 5000 + 14_000]);
});

test('the run under way tells of itself and of those to come', async () => {
  const { run, seen, pass } = rig({
    async train({ experiment, key }, onStage: (stage: RunStage) => void) {
      pass(25 * (experiment.batch + 100));
      onStage({ kind: 'training', id: key, text: 'step 25', leftMs: 75 * (experiment.batch + 100) });
      return null;
    },
  });
  await run();
  expect(seen.find((progress) => textOf(progress) === 'step 25')).toMatchObject({
    number: 1,
    count: 3,
    leftMs: 8250 + 12_000 + 14_000,
  });
});

test('a run that takes longer than others let expect is never said to end at once', async () => {
  const { run, seen, pass } = rig({
    async train({ experiment: { batch }, key }, onStage: (stage: RunStage) => void) {
      pass(100 * (batch + 100));
      if (batch === 10) return trained(100 * (batch + 100));
      pass(8000);
      onStage({ kind: 'training', id: key, text: 'overdue', leftMs: null });
      return null;
    },
  });
  await run({ isWanted: ({ label }) => label !== 'batch 40' });
  expect(seen.find((progress) => textOf(progress) === 'overdue')).toMatchObject({ number: 2, leftMs: 5000 });
});

test('time in which a run waits for people does not count', async () => {
  const { run, seen, pass } = rig({
    async train({ experiment: { batch } }, onStage: (stage: RunStage) => void) {
      onStage({ kind: 'short', needed: 2, here: 1 });
      pass(60_000);
      onStage({ kind: 'starting', text: 'enough are here' });
      pass(100 * (batch + 100));
      return trained(100 * (batch + 100));
    },
  });
  await run();
  expect(seen.findLast((progress) => textOf(progress) === 'enough are here')).toMatchObject({ leftMs: 14_000 });
});

test('what is done already is not run again, and what is not wanted is not run', async () => {
  const first = rig();
  const { outcomes, missing } = await first.run({ isWanted: ({ label }) => label === 'batch 20' });
  expect(first.ran).toEqual(['02-batch-20']);
  expect(missing.map(({ key }) => key)).toEqual(['01-batch-10', '03-batch-40']);
  const second = rig({ load: async () => ({ outcomes }) });
  await second.session.load();
  const end = await second.run();
  expect(second.ran).toEqual(['01-batch-10', '03-batch-40']);
  expect(end.outcomes.map(({ key }) => key)).toEqual(['01-batch-10', '02-batch-20', '03-batch-40']);
});

test('a failed run is an outcome, the sweep goes on, and it is done again only if that is asked for', async () => {
  const { run, session } = rig({
    train: async ({ experiment }) => (experiment.batch === 20 ? failed('it broke') : trained(1000)),
  });
  const failures = () => session.result().outcomes.map(({ failure }) => failure);
  await run();
  expect(failures()).toEqual([null, 'it broke', null]);
  const again = rig({ known: session.result().outcomes });
  await again.run();
  expect(again.ran).toEqual([]);
  await again.run({ retriesFailed: true });
  expect(again.ran).toEqual(['02-batch-20']);
});

test('what is kept elsewhere takes the place of a failure here, and of nothing that trained to its end', async () => {
  const { outcomes } = await rig().run();
  const [first, second] = outcomes.map((outcome, at) => ({ ...outcome, failure: at === 0 ? 'it broke' : null }));
  const other = outcomes.map((outcome) => ({ ...outcome, report: { ...someReport, id: 'other' } }));
  const { session } = rig({
    known: [first ?? expect.fail(), second ?? expect.fail()],
    load: async () => ({ outcomes: other }),
  });
  await session.load();
  expect([...session.outcomes.values()].map(({ report }) => report?.id)).toEqual(['other', someReport.id, 'other']);
});

test('after a stop no run begins, and one that was broken off is still to be done', async () => {
  let breaks = 0;
  const { session, run, ran } = rig({
    async train({ key }) {
      ran.push(key);
      if (ran.length < 2) return trained(1000);
      session.stop();
      return null;
    },
    breakOff: () => {
      breaks += 1;
    },
  });
  const end = await run();
  expect(end.phase).toBe('ended');
  expect(breaks).toBe(1);
  expect(end.missing.map(({ key }) => key)).toEqual(['02-batch-20', '03-batch-40']);
});

test('a pause holds the next run until it goes on', async () => {
  const { session, run, ran } = rig({ keep: async () => session.pause() });
  const done = run();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(ran).toEqual(['01-batch-10']);
  session.resume();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(ran).toEqual(['01-batch-10', '02-batch-20']);
  session.stop();
  expect((await done).missing).toHaveLength(1);
});

test('one step of each kind is taken apart, and large models are not kept unasked', async () => {
  const twice = parseSweep({ name: 'twice', base: { maxSteps: 100 }, vary: { batch: [10, 20] }, repeats: 2 });
  const profile = { backend: 'wasm', batch: 10, operators: [], stepMs: 1 };
  const orders: RunOrder[] = [];
  const { run } = rig({
    sweep: twice,
    async train(order) {
      orders.push(order);
      const { report, ...rest } = trained(1000);
      return {
        ...rest,
        report: report && { ...report, experiment: order.experiment, profile: order.profiles ? profile : null },
      };
    },
  });
  await run();
  expect(orders.map(({ profiles }) => profiles)).toEqual([true, true, false, false]);
  expect(orders[0]).toMatchObject({ hostTrains: false, tabs: 1, keepsModel: true });
});

test('the report has what ran the last run', async () => {
  const { session, run } = rig();
  expect(session.result()).toMatchObject({ machine: {}, outcomes: [], missing: session.runs });
  await run();
  expect(session.result()).toMatchObject({ machine: { cores: 2 }, missing: [] });
});

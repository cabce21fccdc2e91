import { describe, expect, test } from 'vitest';
import { type Rng, rng } from '../../core/math/rng.ts';
import { plainSpaces } from '../format.ts';
import { adviceWords } from './advice.ts';
import { bottleneckOf } from './bottleneck.ts';
import { type Model, Queueing } from './queueing-for-tests.ts';
import { type Bound, bounds } from './shares.ts';

const PUSHES = 300;
const between = (random: Rng, low: number, high: number) => low + (high - low) * random.uniform();
const each = (count: number, value: (index: number) => number) => Array.from({ length: count }, (_, i) => value(i));

const found = (model: Model) => bottleneckOf(new Queueing(model).run(PUSHES));

/** Nobody is held up by anything much: every part is small beside 100 ms. */
function quiet(random: Rng, seed: number): Model {
  const workers = 2 + random.below(7);
  const strategy = random.below(2) === 0 ? 'sync' : 'async';
  const linkMs = between(random, 0, 12);
  return {
    strategy,
    ownMs: each(workers, () => between(random, 8, 15)),
    linkMs: each(workers, () => linkMs * between(random, 0.8, 1.2)),
    applyMs: between(random, 0.1, 15) / workers,
    evaluationMs: between(random, 1, 40),
    evalEvery: 100,
    jitter: between(random, 0, 0.2),
    maxStaleness: null,
    isFirstLocal: false,
    isRest: random.below(2) === 0,
    seed,
  };
}

/** What makes a run be bound by each, by construction. */
const made: Record<Bound, (random: Rng, usual: Model) => Partial<Model>> = {
  compute: (random, { ownMs }) => {
    const own = between(random, 80, 150);
    return { ownMs: ownMs.map(() => own * between(random, 0.9, 1.1)) };
  },
  network: (random, { linkMs }) => {
    const link = between(random, 80, 200);
    return { linkMs: linkMs.map(() => link * between(random, 0.9, 1.1)) };
  },
  server: (random, { ownMs }) => ({ applyMs: between(random, 90, 200) / ownMs.length }),
  stragglers: (random, { ownMs, linkMs }) => {
    const slow = random.below(ownMs.length);
    const late = (usual: number, index: number) => (index === slow ? between(random, 120, 300) : usual);
    const isLink = random.below(2) === 0;
    return { strategy: 'sync', ownMs: isLink ? ownMs : ownMs.map(late), linkMs: isLink ? linkMs.map(late) : linkMs };
  },
  staleness: (random, { ownMs, linkMs }) => {
    const workers = 4 + random.below(5);
    const own = between(random, 10, 100);
    const few = { ownMs: each(workers, () => own), linkMs: each(workers, () => linkMs[0] ?? 0) };
    return { ...few, applyMs: (ownMs[0] ?? 1) / 100, strategy: 'async', maxStaleness: 0 };
  },
  evaluation: (random, { strategy, ownMs, linkMs }) => {
    const evalEvery = 1 + random.below(3);
    const stepMs = Math.max(...ownMs) + Math.max(...linkMs) + 20;
    const updateMs = strategy === 'sync' ? stepMs : stepMs / ownMs.length;
    return { evalEvery, evaluationMs: between(random, 1.6, 6) * updateMs * evalEvery };
  },
};

describe.each(bounds)('a run made to be bound by %s', (bound) => {
  test('is said to be, in sixty settings (seeds 1–60)', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = rng(seed, bound);
      const usual = quiet(random, seed);
      const model = { ...usual, ...made[bound](random, usual) };
      const bottleneck = found(model);
      expect({ seed, model, bottleneck }).toMatchObject({ bottleneck: { bound } });
    }
  });

  test('says why in numbers with units, and what to try (seed 5)', () => {
    const random = rng(5, bound);
    const usual = quiet(random, 5);
    const { sentence, because, tryThis, shares } = found({ ...usual, ...made[bound](random, usual) }) ?? {};
    expect(sentence).toMatch(/^Bound by .*\d.*\.$/);
    expect(
      because?.every((reason) => /\d(\s(ms|s|%|kB))?/.test(reason) && !/NaN|Infinity|undefined/.test(reason)),
    ).toBe(true);
    expect(tryThis?.length).toBeGreaterThan(0);
    expect(tryThis?.filter(({ text }) => /--|\(.*=/.test(text) || !text.endsWith('.'))).toEqual([]);
    expect(Object.values(shares ?? {}).every((share) => share >= 0 && share <= 1)).toBe(true);
  });
});

const calm = { ...quiet(rng(3), 3), jitter: 0, applyMs: 0.5, isRest: false, evalEvery: 1000 } as const;

test('the host’s own worker has no link: one remote worker far away is the network, not a straggler', () => {
  const far: Model = { ...calm, strategy: 'sync', ownMs: [10, 10], linkMs: [0, 200], isFirstLocal: true };
  expect(found(far)?.bound).toBe('network');
  expect(found({ ...far, isFirstLocal: false })?.bound).toBe('stragglers');
});

test('alone in the host’s own tab nothing passes on links', () => {
  const bottleneck = found({ ...calm, strategy: 'async', ownMs: [10], linkMs: [200], isFirstLocal: true });
  expect(bottleneck?.bound).not.toBe('network');
  const handing = { ...calm, strategy: 'async', ownMs: [10], linkMs: [0], applyMs: 90, isFirstLocal: true } as const;
  expect(plainSpaces(found(handing)?.sentence ?? '')).toMatch(
    /^Bound by the server: 9\d ms \(9\d %\) of each \d+ ms step are spent in it/,
  );
});

test('one slow worker holds nobody up in async', () => {
  const bottleneck = found({ ...calm, strategy: 'async', ownMs: [20, 20, 300], linkMs: [2, 2, 2] });
  expect(bottleneck?.bound).toBe('compute');
  expect(bottleneck?.shares.stragglers).toBe(0);
});

test('gradients are as old as overlap makes them: only what is beyond that is too much', () => {
  const report = new Queueing({ ...calm, strategy: 'async', ownMs: [40, 40], linkMs: [20, 20] }).run(PUSHES);
  const old = (mean: number, overlap: boolean) => {
    const workers = report.workers.map((worker) => ({ ...worker, stale: 2, staleness: { mean, max: 9 } }));
    return bottleneckOf({ ...report, workers, experiment: { ...report.experiment, overlap } });
  };
  expect(old(3, true)?.bound).toBe('compute');
  expect(plainSpaces(old(15, true)?.sentence ?? '')).toBe(
    'Bound by staleness: gradients are 15.0 versions old on average, among 2 workers.',
  );
  expect(old(15, false)?.bound).toBe('staleness');
  expect(old(1, false)?.bound).toBe('compute');
});

test('a straggler is named with what makes it late', () => {
  const slow = found({ ...calm, strategy: 'sync', ownMs: [20, 300, 20], linkMs: [2, 2, 2] });
  expect(slow?.sentence).toContain('Wren 2 (worker 2)');
  expect(slow?.tryThis).toContainEqual(expect.objectContaining({ change: { backup: 1 }, flags: '--backup 1' }));
  expect(slow?.tryThis.at(-1)).toMatchObject({
    text: expect.stringContaining('busy with something else'),
    change: null,
  });
  const far = found({ ...calm, strategy: 'sync', ownMs: [20, 20, 20], linkMs: [2, 2, 400] });
  expect(far?.tryThis.at(-1)?.text).toContain('the link of Wren 3');
});

test('evaluations that take half as long again as the steps between them are what to change, by how much', () => {
  const bottleneck = found({
    ...calm,
    strategy: 'sync',
    ownMs: [100, 100],
    linkMs: [2, 2],
    evaluationMs: 155,
    evalEvery: 1,
  });
  expect(bottleneck?.bound).toBe('evaluation');
  expect(bottleneck?.shares.compute).toBeLessThan(0.1);
  expect(bottleneck?.tryThis[0]).toEqual({
    text: 'Evaluate less often: every 2 steps instead of 1.',
    change: { evalEvery: 2 },
    flags: '--eval-every 2',
  });
});

test('what to try is never what would be refused, nor what is so already', () => {
  const report = new Queueing({ ...calm, strategy: 'sync', ownMs: [10, 10], linkMs: [300, 300] }).run(PUSHES);
  const withChange = (change: object) =>
    bottleneckOf({ ...report, experiment: { ...report.experiment, ...change } })
      ?.tryThis.map(adviceWords)
      .join('\n') ?? '';
  expect(withChange({})).toMatch(/--up int8.*--down int8.*--strategy local/s);
  expect(withChange({ up: 'int8', down: 'int8' })).not.toMatch(/int8|float16/);
  const clicks = { model: 'sparse-logistic', data: 'criteo-fake', batch: 20, lr: 0.1 };
  expect(withChange(clicks)).not.toContain('int8');
  expect(withChange(clicks)).toContain('--up float16');
});

test('advice changes only what it must, and says so to a command line', () => {
  const report = new Queueing({ ...calm, strategy: 'async', ownMs: [10, 10], linkMs: [300, 300] }).run(PUSHES);
  const bottleneck = bottleneckOf({ ...report, experiment: { ...report.experiment, overlap: true, localSteps: 4 } });
  const local = bottleneck?.tryThis.find(({ change }) => change?.strategy === 'local');
  expect(local?.change).toEqual({ strategy: 'local', localSteps: 16, overlap: false });
  expect(local && adviceWords(local)).toBe(
    'Exchange only after many steps: local, with 16 steps each (--strategy local --local-steps 16 without --overlap).',
  );
});

test('all-reduce: sums that go round slowly are the network, a slow worker is a straggler', () => {
  const ring = (own: readonly number[], ringMs: number) => {
    const report = new Queueing({ ...calm, strategy: 'allreduce', ownMs: own, linkMs: own.map(() => 2) }).run(PUSHES);
    // The host holds every push until the sums have gone round.
    const held = <T extends { phases: { waitMs: number } }>(one: T, times: number): T => ({
      ...one,
      phases: { ...one.phases, waitMs: one.phases.waitMs + ringMs * times },
    });
    const steps = report.timeline.steps.map((step) =>
      held({ ...step, receivedMs: step.receivedMs + ringMs * step.seq }, 1),
    );
    const workers = report.workers.map((worker) => held(worker, worker.steps));
    const wallSeconds = report.wallSeconds + (ringMs * PUSHES) / own.length / 1000;
    return bottleneckOf({ ...report, workers, wallSeconds, timeline: { steps, spans: [] } })?.bound;
  };
  expect(ring([20, 20, 20], 100)).toBe('network');
  expect(ring([20, 20, 200], 10)).toBe('stragglers');
  expect(ring([100, 100, 100], 10)).toBe('compute');
});

test('a run in which nothing was trained has no bottleneck', () => {
  const report = new Queueing({ ...calm, ownMs: [10], linkMs: [0] }).run(0);
  expect(bottleneckOf(report)).toBeNull();
});

test('without a timeline the phases alone tell', () => {
  const report = new Queueing({ ...calm, strategy: 'async', ownMs: [10, 10], linkMs: [300, 300] }).run(PUSHES);
  expect(bottleneckOf({ ...report, timeline: { steps: [], spans: [] } })?.bound).toBe('network');
});

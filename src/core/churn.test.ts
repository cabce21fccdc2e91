import { describe, expect, it } from 'vitest';
import type { Experiment } from '../experiment/experiment.ts';
import { BATCH, Crowd, EPOCHS, keyedGradientOf, keysOf, TRAIN_COUNT } from './crowd-for-tests.ts';
import { keyedTestSchema, testSchema } from './server/server-for-tests.ts';

const settings = {
  sync: { strategy: 'sync' },
  'sync with a backup worker': { strategy: 'sync', backup: 1 },
  'sync by the median, in int8': { strategy: 'sync', aggregate: 'median', up: 'int8', down: 'float16' },
  async: { strategy: 'async' },
  'async with overlap, damped and bounded': { strategy: 'async', overlap: true, maxStaleness: 4, damping: 'inverse' },
  'async, the largest numbers only': { strategy: 'async', up: 'topk', topk: 0.4, down: 'int8' },
  bounded: { strategy: 'bounded', lead: 2 },
  local: { strategy: 'local', localSteps: 2 },
  allreduce: { strategy: 'allreduce', optimizer: 'momentum' },
} as const satisfies Record<string, Partial<Experiment>>;

const keyed = {
  sync: { strategy: 'sync' },
  'sync with a backup worker': { strategy: 'sync', backup: 1, optimizer: 'ftrl' },
  async: { strategy: 'async' },
  bounded: { strategy: 'bounded', lead: 2 },
  local: { strategy: 'local', localSteps: 2, up: 'float16', down: 'float16' },
} as const satisfies Record<string, Partial<Experiment>>;

/** So many of each kind, or as many as MANYHANDS_SEEDS says: after a change to the protocol some hundreds. */
const seeds = (count: number) =>
  Array.from({ length: Number(process.env.MANYHANDS_SEEDS ?? count) }, (_, seed) => seed);

/** A thousand things happen, then whatever is on its way arrives. */
function live(
  seed: number,
  experiment: Partial<Experiment>,
  {
    hasLiars = false,
    schema = testSchema,
    maxWorkers = undefined as number | undefined,
    endsBy = (_: Crowd) => {},
  } = {},
): Crowd {
  const crowd = new Crowd(seed, experiment, { hasLiars, schema, maxWorkers });
  for (let turn = 0; turn < 1000; turn++) crowd.step();
  endsBy(crowd);
  crowd.settle();
  return crowd;
}

const isEveryoneAnswered = ({ volunteers }: Crowd) =>
  [...volunteers.values()].every(({ unanswered, isLiar }) => isLiar || unanswered === 0);

describe.each(Object.entries(settings))('whatever its workers do, %s', (_, experiment: Partial<Experiment>) => {
  const leaseSize = BATCH * (experiment.localSteps ?? 1);

  it.each(seeds(200))('finishes its epochs with every example counted once, seed %i', (seed) => {
    const crowd = live(seed, experiment);
    expect(crowd.phase).toBe('finished');
    expect(crowd.server.run?.leases.counted).toBe(EPOCHS * TRAIN_COUNT);
    expect(crowd.server.run?.counters.applied).toBe((EPOCHS * TRAIN_COUNT) / leaseSize);
    expect(isEveryoneAnswered(crowd)).toBe(true);
    expect(new Set(crowd.keptStates()).size, 'workers with the last version agree to the bit').toBeLessThanOrEqual(1);
  });

  it.each(seeds(40))('is not led astray by workers that repeat, reorder, drop and forge, seed %i', (seed) => {
    const crowd = live(seed, experiment, { hasLiars: true });
    expect(crowd.phase === 'finished' || crowd.server.run?.stopReason === 'diverged').toBe(true);
    if (crowd.phase !== 'finished') return;
    expect(crowd.server.run?.leases.counted).toBe(EPOCHS * TRAIN_COUNT);
    expect(crowd.server.run?.params.every(Number.isFinite)).toBe(true);
  });

  it.each(seeds(30))('finishes its epochs where at most two may take part, seed %i', (seed) => {
    const crowd = live(seed, experiment, { maxWorkers: 2 });
    expect(crowd.phase).toBe('finished');
    expect(crowd.server.run?.leases.counted).toBe(EPOCHS * TRAIN_COUNT);
    expect(isEveryoneAnswered(crowd)).toBe(true);
  });

  it.each(seeds(40))('ends by hand with an answer to every push, seed %i', (seed) => {
    const crowd = live(seed, { ...experiment, epochs: null }, { endsBy: (going) => going.finish() });
    expect(crowd.phase).toBe('finished');
    expect(crowd.server.run?.test.points.at(-1)?.step).toBe(crowd.server.run?.version);
    expect(isEveryoneAnswered(crowd)).toBe(true);
  });

  it.each(seeds(40))('ends at its test loss with an answer to every push, seed %i', (seed) => {
    const crowd = live(seed, { ...experiment, epochs: null, untilLoss: 1 / 30 });
    expect(crowd.phase).toBe('finished');
    expect(crowd.server.run?.stopReason).toBe('loss');
    expect(isEveryoneAnswered(crowd)).toBe(true);
  });
});

describe.each(Object.entries(keyed))(
  'whatever its workers do, parameters with keys in %s',
  (_, experiment: Partial<Experiment>) => {
    const schema = keyedTestSchema;
    const leaseSize = BATCH * (experiment.localSteps ?? 1);

    it.each(seeds(40))('finish their epochs with every example counted once, seed %i', (seed) => {
      const crowd = live(seed, experiment, { schema });
      expect(crowd.phase).toBe('finished');
      const { run } = crowd.server;
      expect(run?.leases.counted).toBe(EPOCHS * TRAIN_COUNT);
      expect(run?.counters.applied).toBe((EPOCHS * TRAIN_COUNT) / leaseSize);
      expect(isEveryoneAnswered(crowd)).toBe(true);
      expect(run?.keys?.size).toBe(0);
      if (experiment.strategy === 'async' || experiment.strategy === 'bounded') {
        const sum = new Float32Array(schema.size);
        for (let from = 0; from < EPOCHS * TRAIN_COUNT; from += BATCH) {
          const keys = keysOf({ id: 0, from, count: BATCH }, schema);
          keyedGradientOf({ id: 0, from, count: BATCH }, keys).forEach((value, i) => {
            sum[keys[i] as number] = (sum[keys[i] as number] as number) - 0.5 * value;
          });
        }
        expect(run?.params).toEqual(sum);
      }
    });

    it.each(seeds(40))('are not led astray by workers that repeat, reorder, drop and forge, seed %i', (seed) => {
      const crowd = live(seed, experiment, { schema, hasLiars: true });
      expect(crowd.phase === 'finished' || crowd.server.run?.stopReason === 'diverged').toBe(true);
      if (crowd.phase !== 'finished') return;
      expect(crowd.server.run?.leases.counted).toBe(EPOCHS * TRAIN_COUNT);
      expect(crowd.server.run?.params.every(Number.isFinite)).toBe(true);
    });

    it.each(seeds(10))('end at their test loss with an answer to every push, seed %i', (seed) => {
      const crowd = live(seed, { ...experiment, epochs: null, untilLoss: 1 / 30 }, { schema });
      expect(crowd.phase).toBe('finished');
      expect(crowd.server.run?.stopReason).toBe('loss');
      expect(isEveryoneAnswered(crowd)).toBe(true);
    });
  },
);

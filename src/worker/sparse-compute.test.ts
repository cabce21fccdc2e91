import { describe, expect, it } from 'vitest';
import { SparseBatchBuilder } from '../core/sparse/batch.ts';
import { sigmoid } from '../core/sparse/logistic.ts';
import { openSparse } from '../data/sparse/source.ts';
import { defaultExperiment, type Experiment } from '../experiment/experiment.ts';
import { sparseCompute } from './sparse-compute.ts';

const FEATURES = 300;
const experiment: Experiment = {
  ...defaultExperiment,
  model: 'sparse-logistic',
  data: 'criteo-fake',
  features: FEATURES,
  examples: 500,
};
const paramsAt = (keys: Uint32Array) => Float32Array.from(keys, (key) => Math.sin(key) / 5);

/** The gradient of all parameters by the textbook. */
async function expected(from: number, count: number): Promise<Float64Array> {
  const batch = new SparseBatchBuilder();
  await openSparse(experiment).train(batch, from, count);
  const all = new Float64Array(FEATURES + 1);
  for (let row = 0; row < count; row++) {
    const entries = Array.from(batch.keys.subarray(batch.offsets[row], batch.offsets[row + 1]), (key, i) => ({
      key,
      value: batch.values[(batch.offsets[row] as number) + i] as number,
    }));
    const score = entries.reduce((sum, { key, value }) => sum + (Math.sin(key) / 5) * value, Math.sin(FEATURES) / 5);
    const error = (sigmoid(score) - (batch.labels[row] as number)) / count;
    for (const { key, value } of entries) all[key] = (all[key] as number) + error * value;
    all[FEATURES] = (all[FEATURES] as number) + error;
  }
  return all;
}

const noExamples = () => Promise.reject(new Error('these are generated'));

describe('sparse compute', () => {
  it('a step is the gradient of its examples at the keys that were told, the bias last, leases in any order', async () => {
    const compute = sparseCompute();
    await compute.prepare(experiment, () => {}, noExamples);
    const leases = [
      { id: 1, from: 0, count: 20 },
      { id: 2, from: 480, count: 40 },
      { id: 3, from: 60, count: 10 },
    ];
    const told = await Promise.all(leases.map((lease) => compute.prefetch(lease)));
    for (const index of [1, 0, 2]) {
      const [lease, keys] = [leases[index], told[index]];
      if (!lease || !keys) throw new Error('no keys were told');
      expect(keys.at(-1)).toBe(FEATURES);
      const { gradient } = await compute.step(paramsAt(keys), lease);
      const all = await expected(lease.from, lease.count);
      keys.forEach((key, i) => {
        expect(gradient[i]).toBeCloseTo(all[key] as number, 6);
        all[key] = 0;
      });
      expect(all.every((value) => value === 0)).toBe(true);
    }
  });

  it('parts of a lease are computed at the keys of the whole', async () => {
    const compute = sparseCompute();
    await compute.prepare(experiment, () => {}, noExamples);
    const keys = await compute.prefetch({ id: 9, from: 100, count: 30 });
    if (!keys) throw new Error('no keys were told');
    for (const [from, count] of [
      [100, 10],
      [110, 10],
      [120, 10],
    ] as const) {
      const { gradient } = await compute.step(paramsAt(keys), { id: 9, from, count });
      const all = await expected(from, count);
      expect(gradient).toHaveLength(keys.length);
      keys.forEach((key, i) => {
        expect(gradient[i]).toBeCloseTo(all[key] as number, 6);
      });
    }
  });

  it('where all parameters move, the gradient is of all', async () => {
    const compute = sparseCompute();
    await compute.prepare({ ...experiment, model: 'dense-logistic' }, () => {}, noExamples);
    const lease = { id: 1, from: 40, count: 20 };
    expect(compute.prefetch(lease)).toBeUndefined();
    const all = Uint32Array.from({ length: FEATURES + 1 }, (_, key) => key);
    const { gradient } = await compute.step(paramsAt(all), lease);
    (await expected(40, 20)).forEach((value, key) => {
      expect(gradient[key]).toBeCloseTo(value, 6);
    });
  });

  it('parameters that are not finite give no gradient but an error', async () => {
    const compute = sparseCompute();
    await compute.prepare(experiment, () => {}, noExamples);
    const lease = { id: 1, from: 0, count: 5 };
    const keys = (await compute.prefetch(lease)) ?? new Uint32Array(0);
    await expect(compute.step(paramsAt(keys).fill(Number.NaN), lease)).rejects.toThrow('not finite');
  });

  it('each pass has every example once, in another order', async () => {
    const source = openSparse({ ...experiment, examples: 100 });
    const labelsOf = async (from: number) => {
      const batch = new SparseBatchBuilder();
      await source.train(batch, from, 60);
      await source.train(batch, from + 60, 40);
      return Array.from({ length: 100 }, (_, i) => batch.values.subarray(39 * i, 39 * i + 13).join());
    };
    const [first, second] = [await labelsOf(0), await labelsOf(100)];
    expect(new Set(first).size).toBe(100);
    expect(second).not.toEqual(first);
    expect([...second].sort()).toEqual([...first].sort());
  });
});

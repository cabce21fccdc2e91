import { describe, expect, it } from 'vitest';
import { optimizers } from '../../core/math/optimizer/optimizer.ts';
import { SparseBatchBuilder } from '../../core/sparse/batch.ts';
import { DistinctKeys } from '../../core/sparse/distinct-keys.ts';
import { StreamingEvaluation } from '../../core/sparse/evaluation.ts';
import { gather, SparseLogistic } from '../../core/sparse/logistic.ts';
import type { OptimizerName } from '../../experiment/experiment.ts';
import { CriteoFake, type FakeSplit } from './criteo-fake.ts';
import { plainExamples } from './files-for-tests.ts';
import { cardinalitiesFor, MAX_FEATURES, MIN_FEATURES } from './formats/criteo-fields.ts';
import { scatterOf, timesModulo } from './scatter.ts';

function made(fake: CriteoFake, split: FakeSplit, from: number, count: number): SparseBatchBuilder {
  const batch = new SparseBatchBuilder(count);
  fake.fill(batch, split, from, count);
  return batch;
}

it('the columns and the 13 numbers have exactly the keys that were asked for', () => {
  for (const features of [MIN_FEATURES, 100, 1000, 123_457, 1_000_000, 33_762_578, 50_000_000, MAX_FEATURES]) {
    const sizes = cardinalitiesFor(features);
    expect(sizes.reduce((sum, size) => sum + size, 13)).toBe(features);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(2);
  }
  expect(cardinalitiesFor(33_762_590)[2]).toBe(10_131_227);
  expect(() => cardinalitiesFor(64)).toThrow(/from 65/);
});

it('ranks are scattered over a column one to one, and found again', () => {
  for (const size of [1, 2, 3, 4, 10, 27, 1460, 5683]) {
    const { factor, inverse } = scatterOf(size);
    const places = Array.from({ length: size }, (_, rank) => timesModulo(rank, factor, size));
    expect(new Set(places).size).toBe(size);
    expect(places.map((place) => timesModulo(place, inverse, size))).toEqual(places.map((_, rank) => rank));
  }
  const large = scatterOf(10_131_227);
  for (const rank of [0, 1, 12345, 10_131_226]) {
    expect(timesModulo(timesModulo(rank, large.factor, 10_131_227), large.inverse, 10_131_227)).toBe(rank);
  }
});

describe.each([1000, 33_762_578])('%i features, seed 7', (features) => {
  const fake = new CriteoFake({ features, seed: 7 });
  const batch = made(fake, 'test', 0, 20_000);

  it('example i is the same alone, in any batch and in another generator', () => {
    const again = new CriteoFake({ features, seed: 7 });
    const whole = plainExamples(made(fake, 'train', 0, 300));
    for (const i of [299, 0, 17, 150]) expect(plainExamples(made(again, 'train', i, 1))).toEqual([whole[i]]);
    expect(plainExamples(made(fake, 'test', 0, 300))).not.toEqual(whole);
    expect(plainExamples(made(new CriteoFake({ features, seed: 8 }), 'train', 0, 300))).not.toEqual(whole);
    expect(plainExamples(made(fake, 'train', 2 ** 32, 300))).not.toEqual(whole);
  });

  it('has no two equal examples and 39 keys each, one of every field', () => {
    const ends: number[] = [];
    for (const size of cardinalitiesFor(features)) ends.push((ends.at(-1) ?? 13) + size);
    const seen = new Set<string>();
    for (const { keys, values } of plainExamples(batch)) {
      seen.add(values.slice(0, 13).join());
      const isRight =
        keys.length === 39 &&
        keys.every((key, field) =>
          field < 13 ? key === field : key < (ends[field - 13] as number) && key >= (ends[field - 14] ?? 13),
        );
      if (!isRight) expect.fail(`keys ${keys} are not one of each field`);
    }
    expect(seen.size).toBe(batch.count);
  });

  it('has a long tail: few categories are most of a column, and most keys are seen once', () => {
    const counts = new Map<number, number>();
    for (let i = 0; i < batch.count; i++) {
      const key = batch.keys[i * 39 + 13 + 2] as number;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const sorted = [...counts.values()].sort((a, b) => b - a);
    const top10 = sorted.slice(0, 10).reduce((sum, count) => sum + count, 0) / batch.count;
    expect(top10).toBeGreaterThan(0.2);
    expect(top10).toBeLessThan(0.8);
    if (features > 1e6) expect(sorted.filter((count) => count === 1).length / sorted.length).toBeGreaterThan(0.5);
  });

  it('labels follow the planted model: 75 to 82 % can be known, about a third are 1, and chances are calibrated', () => {
    const scores = fake.plantedScores(batch);
    const evaluation = new StreamingEvaluation();
    evaluation.add(scores, batch.labels, batch.count);
    const { accuracy, auc } = evaluation.result();
    expect(accuracy).toBeGreaterThan(0.75);
    expect(accuracy).toBeLessThan(0.82);
    expect(auc).toBeGreaterThan(0.8);
    const ones = batch.labels.subarray(0, batch.count).reduce((sum, label) => sum + label, 0);
    const expected = scores.reduce((sum, score) => sum + 1 / (1 + Math.exp(-score)), 0);
    // Five standard deviations.
    expect(Math.abs(ones - expected)).toBeLessThan(5 * Math.sqrt(batch.count / 4));
    expect(ones / batch.count).toBeGreaterThan(0.28);
    expect(ones / batch.count).toBeLessThan(0.42);
  });
});

/** Measured on 33,762,578 features as well; a smaller model keeps the test small. */
const recommended: readonly [OptimizerName, { lr: number; l1: number }, scale: number][] = [
  ['sgd', { lr: 0.3, l1: 0 }, 1],
  ['ftrl', { lr: 0.06, l1: 3 }, 100],
];
for (const [name, rates, scale] of recommended) {
  it(`200,000 examples bring ${name} within 0.5 points of the planted model, seed 1`, () => {
    const features = 1_000_000;
    const fake = new CriteoFake({ features, seed: 1 });
    const test = made(fake, 'test', 0, 30_000);
    const optimizer = optimizers[name](features, rates);
    const biasOptimizer = optimizers[name](1, rates);
    const [params, bias] = [new Float32Array(features), new Float32Array(1)];
    const [distinct, logistic] = [new DistinctKeys(), new SparseLogistic()];
    const weights = new Float32Array(1e6);
    const batch = new SparseBatchBuilder(100);
    for (let at = 0; at < 200_000; at += 100) {
      batch.clear();
      fake.fill(batch, 'train', at, 100);
      distinct.find(batch);
      gather(params, distinct.keys, distinct.count, weights);
      logistic.step(batch, distinct, weights, bias[0] as number);
      const keys = distinct.keys.subarray(0, distinct.count);
      optimizer.apply(params, { keys, values: logistic.gradient }, scale, 1);
      const values = Float32Array.of(logistic.biasGradient);
      biasOptimizer.apply(bias, { keys: Uint32Array.of(0), values }, scale, 1);
    }
    const [learnt, planted] = [new StreamingEvaluation(), new StreamingEvaluation()];
    distinct.find(test);
    gather(params, distinct.keys, distinct.count, weights);
    learnt.add(logistic.predict(test, distinct, weights, bias[0] as number), test.labels, test.count);
    planted.add(fake.plantedScores(test), test.labels, test.count);
    expect(planted.result().accuracy - learnt.result().accuracy).toBeLessThan(0.005);
  }, 30_000);
}

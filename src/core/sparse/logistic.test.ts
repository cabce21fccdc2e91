import { expect, it } from 'vitest';
import { rng } from '../math/rng.ts';
import { SparseBatchBuilder } from './batch.ts';
import { DistinctKeys } from './distinct-keys.ts';
import { gather, logLossOf, SparseLogistic, sigmoid } from './logistic.ts';

const FEATURES = 40;

function randomProblem(seed: number) {
  const random = rng(seed, 'logistic');
  const batch = new SparseBatchBuilder();
  const rows: Float64Array[] = [];
  for (let i = 0; i < 30; i++) {
    const row = new Float64Array(FEATURES);
    for (let entry = random.below(12); entry > 0; entry--) {
      const [key, value] = [random.below(FEATURES), Math.fround(random.normal())];
      batch.add(key, value);
      // A key may come twice in an example: its values add up.
      row[key] = (row[key] as number) + value;
    }
    rows.push(row);
    batch.end(random.below(2));
  }
  const params = Float32Array.from({ length: FEATURES }, () => random.normal());
  return { batch, rows, params, bias: random.normal() };
}

for (const seed of [1, 2, 3, 4]) {
  it(`loss and gradient are those of dense logistic regression, seed ${seed}`, () => {
    const { batch, rows, params, bias } = randomProblem(seed);
    const distinct = new DistinctKeys().find(batch);
    const weights = new Float32Array(distinct.count);
    gather(params, distinct.keys, distinct.count, weights);
    const logistic = new SparseLogistic();
    const loss = logistic.step(batch, distinct, weights, bias);

    const dense = new Float64Array(FEATURES);
    let [denseLoss, denseBias] = [0, 0];
    rows.forEach((row, i) => {
      const score = row.reduce((sum, value, key) => sum + value * (params[key] as number), bias);
      const chance = 1 / (1 + Math.exp(-score));
      const label = batch.labels[i] as number;
      denseLoss -= Math.log(label === 1 ? chance : 1 - chance) / rows.length;
      denseBias += (chance - label) / rows.length;
      row.forEach((value, key) => {
        dense[key] = (dense[key] as number) + ((chance - label) * value) / rows.length;
      });
      expect(logistic.scores[i]).toBeCloseTo(score, 10);
    });
    expect(loss).toBeCloseTo(denseLoss, 10);
    expect(logistic.biasGradient).toBeCloseTo(denseBias, 10);
    const sparse = new Float64Array(FEATURES);
    for (let i = 0; i < distinct.count; i++) sparse[distinct.keys[i] as number] = logistic.gradient[i] as number;
    for (let key = 0; key < FEATURES; key++) expect(sparse[key]).toBeCloseTo(dense[key] as number, 7);
  });
}

it('a huge score gives a finite loss and a probability of 0 or 1', () => {
  for (const score of [-1e4, -800, 800, 1e4]) {
    expect(logLossOf(score, 0)).toBe(Math.max(0, score));
    expect(logLossOf(score, 1)).toBe(Math.max(0, -score));
    expect(sigmoid(score)).toBe(score > 0 ? 1 : 0);
  }
});

it('an empty batch has loss 0 and no gradient', () => {
  const batch = new SparseBatchBuilder();
  const logistic = new SparseLogistic();
  expect(logistic.step(batch, new DistinctKeys().find(batch), new Float32Array(0), 1)).toBe(0);
  expect(logistic.biasGradient).toBe(0);
});

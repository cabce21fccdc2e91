import { expect, it } from 'vitest';
import { type AggregateName, aggregateNames } from '../../../experiment/experiment.ts';
import { optimizers } from '../optimizer/optimizer.ts';
import { type Rng, rng } from '../rng.ts';
import { aggregates } from './aggregate.ts';

const CLASSES = 5;
const FEATURES = 20;
/** Per class a weight for each feature, and a bias. */
const ROW = FEATURES + 1;
const [WORKERS, BATCH, STEPS] = [8, 16, 200];

interface Example {
  readonly label: number;
  readonly x: Float32Array;
}

/** Clouds around one random centre per class, so near to each other that nobody gets all examples right. */
function clouds(count: number, random: Rng): Example[] {
  const centres = Float32Array.from({ length: CLASSES * ROW }, () => 0.55 * random.normal());
  return Array.from({ length: count }, () => {
    const label = random.below(CLASSES);
    const x = centres.slice(label * ROW, (label + 1) * ROW).map((value) => value + random.normal());
    x[FEATURES] = 1;
    return { label, x };
  });
}

function logits(params: Float32Array, x: Float32Array, into: Float64Array): void {
  for (let c = 0; c < CLASSES; c++) {
    let sum = 0;
    for (let f = 0; f < ROW; f++) sum += (x[f] as number) * (params[c * ROW + f] as number);
    into[c] = sum;
  }
}

/** The mean gradient of the cross-entropy of softmax(Wx + b). */
function gradientOf(params: Float32Array, batch: readonly Example[]): Float32Array {
  const gradient = new Float32Array(params.length);
  const scores = new Float64Array(CLASSES);
  for (const { label, x } of batch) {
    logits(params, x, scores);
    const top = Math.max(...scores);
    let total = 0;
    for (const score of scores) total += Math.exp(score - top);
    for (let c = 0; c < CLASSES; c++) {
      const error = (Math.exp((scores[c] as number) - top) / total - Number(c === label)) / batch.length;
      for (let f = 0; f < ROW; f++)
        gradient[c * ROW + f] = (gradient[c * ROW + f] as number) + error * (x[f] as number);
    }
  }
  return gradient;
}

/** Per cent of the first 1,000 examples that a model trained on the others gets right. */
function accuracyAfter(name: AggregateName, liars: number, examples: readonly Example[]): number {
  const [test, train] = [examples.slice(0, 1000), examples.slice(1000)];
  const random = rng('batches');
  const params = new Float32Array(CLASSES * ROW);
  const aggregate = aggregates[name](params.length, 2);
  const optimizer = optimizers.sgd(params.length, { lr: 0.3 });
  for (let step = 1; step <= STEPS; step++) {
    aggregate.clear();
    for (let worker = 0; worker < WORKERS; worker++) {
      const from = random.below(train.length - BATCH);
      const gradient = gradientOf(params, train.slice(from, from + BATCH));
      const values = worker < liars ? gradient.map((value) => -10 * value) : gradient;
      aggregate.add({ values, keys: null }, BATCH);
    }
    const { gradient, scale } = aggregate.finish();
    optimizer.apply(params, gradient, scale, step);
  }
  const scores = new Float64Array(CLASSES);
  const right = test.filter(({ label, x }) => {
    logits(params, x, scores);
    return scores[label] === Math.max(...scores);
  });
  return (100 * right.length) / test.length;
}

it.each([1, 2, 3, 4])('2 of 8 workers sending −10 × their gradient ruin the mean and nothing else, seed %i', (seed) => {
  const examples = clouds(4000, rng(seed, 'clouds'));
  const clean = accuracyAfter('mean', 0, examples);
  expect(clean).toBeGreaterThan(70);
  const lost = Object.fromEntries(aggregateNames.map((name) => [name, clean - accuracyAfter(name, 2, examples)]));
  expect(lost.mean).toBeGreaterThan(20);
  for (const name of ['median', 'trimmed', 'clipping', 'krum']) expect(lost[name], name).toBeLessThan(2);
});

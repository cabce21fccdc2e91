import type { SparseBatch } from './batch.ts';

/** Where the key of each entry is among the distinct ones. */
interface Positions {
  readonly count: number;
  readonly positions: Uint32Array;
}

/** 1 ÷ (1 + e^−score), without overflow. */
export function sigmoid(score: number): number {
  if (score >= 0) return 1 / (1 + Math.exp(-score));
  const e = Math.exp(score);
  return e / (1 + e);
}

/** −ln of the probability that the score gives to the label; finite for every finite score. */
export const logLossOf = (score: number, label: number): number =>
  (score > 0 ? score : 0) - label * score + Math.log1p(Math.exp(-Math.abs(score)));

/** Reads the parameters at `count` keys into `into`. */
export function gather(params: Float32Array, keys: Uint32Array, count: number, into: Float32Array): void {
  for (let i = 0; i < count; i++) into[i] = params[keys[i] as number] as number;
}

/** The parameters at these keys, in memory of their own. */
export function valuesAt(params: Float32Array, keys: Uint32Array): Float32Array<ArrayBuffer> {
  const values = new Float32Array(keys.length);
  gather(params, keys, keys.length, values);
  return values;
}

/**
 * Logistic regression over the distinct keys of a batch: it never sees the other parameters. Its arrays are reused by
 * the next call and grow to the largest batch.
 */
export class SparseLogistic {
  /** Of the mean loss, for each distinct key. */
  gradient = new Float32Array(0);
  biasGradient = 0;
  /** How many examples of the last step had their score on the right side. */
  correct = 0;
  /** The score of each example, before the sigmoid; above 0 it predicts label 1. */
  scores = new Float64Array(0);
  /** In float64: a frequent key of a large batch is a sum of thousands. */
  private sums = new Float64Array(0);

  /** Scores of the batch's examples given the parameters of its distinct keys. */
  predict(batch: SparseBatch, distinct: Positions, weights: Float32Array, bias: number): Float64Array {
    if (this.scores.length < batch.count) this.scores = new Float64Array(batch.count);
    const { offsets, values } = batch;
    const { positions } = distinct;
    const { scores } = this;
    for (let example = 0, i = 0; example < batch.count; example++) {
      const end = offsets[example + 1] as number;
      let score = bias;
      for (; i < end; i++) score += (weights[positions[i] as number] as number) * (values[i] as number);
      scores[example] = score;
    }
    return scores;
  }

  /** The mean log loss of the batch; leaves its gradient in `gradient` and `biasGradient`. */
  step(batch: SparseBatch, distinct: Positions, weights: Float32Array, bias: number): number {
    const scores = this.predict(batch, distinct, weights, bias);
    if (this.sums.length < distinct.count) {
      this.sums = new Float64Array(distinct.count * 2);
      this.gradient = new Float32Array(distinct.count * 2);
    }
    const { sums, gradient } = this;
    const { offsets, values, labels, count } = batch;
    const { positions } = distinct;
    sums.fill(0, 0, distinct.count);
    let [loss, biasSum, correct] = [0, 0, 0];
    for (let example = 0, i = 0; example < count; example++) {
      const score = scores[example] as number;
      const label = labels[example] as number;
      loss += logLossOf(score, label);
      const error = sigmoid(score) - label;
      biasSum += error;
      if (score > 0 === (label === 1)) correct += 1;
      for (const end = offsets[example + 1] as number; i < end; i++) {
        const position = positions[i] as number;
        sums[position] = (sums[position] as number) + error * (values[i] as number);
      }
    }
    const share = count === 0 ? 0 : 1 / count;
    for (let i = 0; i < distinct.count; i++) gradient[i] = (sums[i] as number) * share;
    this.biasGradient = biasSum * share;
    this.correct = correct;
    return loss * share;
  }
}

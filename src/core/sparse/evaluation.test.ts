import { expect, it } from 'vitest';
import { rng } from '../math/rng.ts';
import { StreamingEvaluation } from './evaluation.ts';

/** The AUC by its definition: over all pairs of unequal labels, ties counting half. */
function exactAuc(scores: Float64Array, labels: Uint8Array): number {
  let [pairs, above] = [0, 0];
  labels.forEach((label, i) => {
    if (label === 0) return;
    labels.forEach((other, j) => {
      if (other === 1) return;
      pairs++;
      above += (Math.sign((scores[i] as number) - (scores[j] as number)) + 1) / 2;
    });
  });
  return above / pairs;
}

for (const seed of [1, 2, 3]) {
  it(`streaming agrees with definitions over all pairs, seed ${seed}`, () => {
    const random = rng(seed, 'auc');
    const count = 400;
    const labels = Uint8Array.from({ length: count }, () => (random.uniform() < 0.3 ? 1 : 0));
    // Coarse scores: ties must count half.
    const scores = Float64Array.from(labels, (label) => Math.round((label + random.normal()) * 8) / 8);
    let [loss, right] = [0, 0];
    labels.forEach((label, i) => {
      const score = scores[i] as number;
      const chance = 1 / (1 + Math.exp(-score));
      loss -= Math.log(label === 1 ? chance : 1 - chance);
      if ((score > 0 ? 1 : 0) === label) right++;
    });
    const evaluation = new StreamingEvaluation();
    for (let from = 0; from < count; from += 70) {
      evaluation.add(scores.subarray(from), labels.subarray(from), Math.min(70, count - from));
    }
    const { examples, logLoss, accuracy, auc, aucError } = evaluation.result();
    expect(examples).toBe(count);
    expect(logLoss).toBeCloseTo(loss / count, 10);
    expect(accuracy).toBe(right / count);
    expect(Math.abs((auc ?? Number.NaN) - exactAuc(scores, labels))).toBeLessThanOrEqual(aucError + 1e-12);
  });

  it(`the stated error bounds the histogram even where scores crowd in a few bins, seed ${seed}`, () => {
    const random = rng(seed, 'crowded');
    const labels = Uint8Array.from({ length: 1000 }, () => random.below(2));
    const scores = Float64Array.from(labels, (label) => 9 + label * 1e-3 + random.normal() * 1e-2);
    const evaluation = new StreamingEvaluation();
    evaluation.add(scores, labels, labels.length);
    const { auc, aucError } = evaluation.result();
    expect(aucError).toBeGreaterThan(0.1);
    expect(Math.abs((auc ?? Number.NaN) - exactAuc(scores, labels))).toBeLessThanOrEqual(aucError);
  });
}

it('one label alone has no AUC, and clear forgets everything', () => {
  const evaluation = new StreamingEvaluation();
  evaluation.add(Float64Array.of(1, 2), Uint8Array.of(1, 1), 2);
  expect(evaluation.result()).toMatchObject({ examples: 2, accuracy: 1, auc: null });
  evaluation.clear();
  expect(evaluation.result().examples).toBe(0);
});

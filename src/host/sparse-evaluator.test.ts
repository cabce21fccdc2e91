import { expect, it } from 'vitest';
import { CriteoFake } from '../data/sparse/criteo-fake.ts';
import { defaultExperiment } from '../experiment/experiment.ts';
import { openEvaluator } from './evaluator.ts';

const experiment = { ...defaultExperiment, model: 'sparse-logistic', data: 'criteo-fake', features: 2000 };

it('evaluates the planted parameters as the planted model, whether it sees all or what the test set touches', async () => {
  const fake = new CriteoFake({ features: 2000, seed: 1 });
  const all = Float32Array.from({ length: 2001 }, (_, key) => (key === 2000 ? fake.bias : fake.weightOf(key)));
  const keyed = await openEvaluator(experiment, '', 'auto');
  const whole = await openEvaluator({ ...experiment, model: 'dense-logistic' }, '', 'auto');
  expect(whole.keys).toBeNull();
  const keys = keyed.keys ?? new Uint32Array(0);
  expect(keys.at(-1)).toBe(2000);
  const evaluation = await keyed.evaluate(Float32Array.from(keys, (key) => all[key] as number));
  expect(await whole.evaluate(all)).toEqual(evaluation);
  expect(evaluation.loss).toBeLessThan(0.47);
  expect(evaluation.accuracy).toBeGreaterThan(0.76);
  expect(evaluation.auc).toBeGreaterThan(0.83);
  expect(evaluation.precisions).toHaveLength(20);
  const mean = evaluation.precisions.reduce((sum, share) => sum + share, 0) / 20;
  expect(mean).toBeCloseTo(evaluation.accuracy, 10);
});

it('parameters of zeros know nothing: a loss of ln 2 and an AUC of one half', async () => {
  const evaluator = await openEvaluator(experiment, '', 'auto');
  const { loss, auc } = await evaluator.evaluate(new Float32Array(evaluator.keys?.length ?? 0));
  expect(loss).toBeCloseTo(Math.LN2, 6);
  expect(auc).toBeCloseTo(0.5, 6);
});

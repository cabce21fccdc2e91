import { expect, it } from 'vitest';
import { CriteoFake } from '../data/sparse/criteo-fake.ts';
import { defaultExperiment } from '../experiment/experiment.ts';
import { judgeFor } from './judge.ts';

const experiment = { ...defaultExperiment, model: 'sparse-logistic', data: 'criteo-fake', features: 2000 };

it('judges the planted parameters as the planted model, whether it sees all or what the test set touches', async () => {
  const fake = new CriteoFake({ features: 2000, seed: 1 });
  const all = Float32Array.from({ length: 2001 }, (_, key) => (key === 2000 ? fake.bias : fake.weightOf(key)));
  const keyed = await judgeFor(experiment, '', 'auto');
  const whole = await judgeFor({ ...experiment, model: 'dense-logistic' }, '', 'auto');
  expect(whole.keys).toBeNull();
  const keys = keyed.keys ?? new Uint32Array(0);
  expect(keys.at(-1)).toBe(2000);
  const judgement = await keyed.evaluate(Float32Array.from(keys, (key) => all[key] as number));
  expect(await whole.evaluate(all)).toEqual(judgement);
  expect(judgement.loss).toBeLessThan(0.47);
  expect(judgement.accuracy).toBeGreaterThan(0.76);
  expect(judgement.auc).toBeGreaterThan(0.83);
  expect(judgement.precisions).toHaveLength(20);
  const mean = judgement.precisions.reduce((sum, share) => sum + share, 0) / 20;
  expect(mean).toBeCloseTo(judgement.accuracy, 10);
});

it('parameters of zeros know nothing: a loss of ln 2 and an AUC of one half', async () => {
  const judge = await judgeFor(experiment, '', 'auto');
  const { loss, auc } = await judge.evaluate(new Float32Array(judge.keys?.length ?? 0));
  expect(loss).toBeCloseTo(Math.LN2, 6);
  expect(auc).toBeCloseTo(0.5, 6);
});

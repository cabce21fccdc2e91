import { expect, test } from 'vitest';
import { defaultExperiment } from '../experiment/experiment.ts';
import { profileStep } from './profile.ts';

const clicks = { ...defaultExperiment, model: 'sparse-logistic', data: 'criteo-fake', features: 100_000, batch: 50 };

test('a sparse step is taken apart into its parts, whose outputs have the sizes they have', async () => {
  const { operators, stepMs, batch, backend } = await profileStep(clicks, '', 'auto');
  expect({ batch, backend }).toEqual({ batch: 50, backend: 'arrays' });
  expect(operators.map(({ name }) => name)).toEqual([
    'read examples',
    'find keys',
    'gather',
    'forward + backward',
    'encode',
  ]);
  const [examples, keys, values, gradient, encoded] = operators.map(({ outputShape }) => outputShape[0] ?? 0);
  expect(examples).toBe(50 * 39);
  expect(keys).toBeLessThan(examples ?? 0);
  expect([values, gradient, encoded]).toEqual([(keys ?? 0) + 1, (keys ?? 0) + 1, (keys ?? 0) + 1]);
  expect(operators.every(({ ms, outputBytes }) => ms >= 0 && outputBytes > 0)).toBe(true);
  const sumMs = operators.reduce((sum, { ms }) => sum + ms, 0);
  expect(sumMs).toBeGreaterThan(0.2 * stepMs);
  expect(sumMs).toBeLessThan(5 * stepMs);
});

test('written densely, the gradient of all parameters is encoded', async () => {
  const { operators } = await profileStep({ ...clicks, model: 'dense-logistic' }, '', 'auto');
  expect(operators.at(-1)?.outputShape).toEqual([100_001]);
});

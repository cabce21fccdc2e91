import { expect, test } from 'vitest';
import { defaultExperiment } from '../experiment/experiment.ts';
import { profileStep } from './profile.ts';

test('a step of LeNet, taken apart, takes about as long as whole', async () => {
  const experiment = { ...defaultExperiment, model: 'lenet', data: 'fake-28', batch: 64 };
  const { operators, stepMs, batch, backend } = await profileStep(experiment, '/', 'wasm');
  expect({ batch, backend }).toEqual({ batch: 64, backend: 'wasm' });
  const sumMs = operators.reduce((sum, { ms }) => sum + ms, 0);
  console.log(`operators ${sumMs.toFixed(2)} ms, the step ${stepMs.toFixed(2)} ms`);
  expect(sumMs).toBeGreaterThan(0.3 * stepMs);
  expect(sumMs).toBeLessThan(3 * stepMs);
});

import { expect, it } from 'vitest';
import { rng } from '../core/math/rng.ts';
import { Problem } from './problem.ts';

const problem = new Problem(7);
const { size } = problem.schema;

function randomParams(seed: number): Float32Array {
  const random = rng(seed);
  return Float32Array.from({ length: size }, () => random.normal());
}

it.each([1, 2])('the gradient is the slope of the loss, seed %i', (seed) => {
  const params = randomParams(seed);
  const gradient = new Float32Array(size);
  const scratch = new Float32Array(size);
  problem.gradient(params, 40, 8, gradient);
  for (let i = 0; i < size; i += 7) {
    const lossAt = (by: number) => {
      const moved = params.slice();
      moved[i] = (moved[i] as number) + by;
      return { at: moved[i] as number, loss: problem.gradient(moved, 40, 8, scratch) };
    };
    const [low, high] = [lossAt(-1e-3), lossAt(1e-3)];
    expect(gradient[i]).toBeCloseTo((high.loss - low.loss) / (high.at - low.at), 3);
  }
});

it('a batch is the mean of its parts, also over the end of an epoch', () => {
  const params = randomParams(3);
  const from = 2 * problem.trainCount - 10;
  const [whole, first, second] = [new Float32Array(size), new Float32Array(size), new Float32Array(size)];
  const loss = problem.gradient(params, from, 30, whole);
  const parts = (10 * problem.gradient(params, from, 10, first) + 20 * problem.gradient(params, 0, 20, second)) / 30;
  expect(loss).toBeCloseTo(parts, 6);
  for (let i = 0; i < size; i++) {
    expect(whole[i]).toBeCloseTo((10 * (first[i] as number) + 20 * (second[i] as number)) / 30, 5);
  }
});

it('is learnt from knowing nothing to a loss below 0.3', () => {
  const params = new Float32Array(size);
  const gradient = new Float32Array(size);
  expect(problem.test(params).loss).toBeCloseTo(Math.log(10), 5);
  for (let step = 0; step < 1000; step++) {
    problem.gradient(params, step * 160, 160, gradient);
    for (let i = 0; i < size; i++) params[i] = (params[i] as number) - 2 * (gradient[i] as number);
  }
  const { loss, accuracy } = problem.test(params);
  expect(loss).toBeLessThan(0.3);
  expect(accuracy).toBeGreaterThan(0.88);
});

import { expect, test } from 'vitest';
import { rng } from '../math/rng.ts';
import { MeanCurve } from './mean-curve.ts';

for (const seed of [1, 2, 3, 4, 5]) {
  test(`points are the means of equal numbers of pushes, in bounded memory (seed ${seed})`, () => {
    const random = rng(seed);
    const curve = new MeanCurve();
    const pushes = Array.from({ length: 1 + random.below(5000) }, (_, index) => {
      const examples = 1 + random.below(100);
      return { step: index + 1, loss: random.uniform(), examples, correct: random.below(examples + 1) };
    });
    for (const { step, loss, examples, correct } of pushes) {
      curve.add({ step, elapsedMs: step, wallMs: step, loss }, examples, correct);
    }
    const { points, stride } = curve;
    expect(points.length).toBe(Math.floor(pushes.length / stride));
    expect(points.length).toBeLessThanOrEqual(500);
    for (const [index, point] of points.entries()) {
      const part = pushes.slice(index * stride, (index + 1) * stride);
      const examples = part.reduce((sum, push) => sum + push.examples, 0);
      expect(point.step).toBe(part.at(-1)?.step);
      expect(point.loss).toBeCloseTo(part.reduce((sum, push) => sum + push.loss * push.examples, 0) / examples, 9);
      expect(point.accuracy).toBeCloseTo(part.reduce((sum, push) => sum + push.correct, 0) / examples, 9);
    }
  });
}

test('a point is without accuracy where nobody counts', () => {
  const curve = new MeanCurve();
  curve.add({ step: 1, elapsedMs: 1, wallMs: 1, loss: 2 }, 10, null);
  expect(curve.points).toEqual([{ step: 1, elapsedMs: 1, wallMs: 1, loss: 2, accuracy: null }]);
});

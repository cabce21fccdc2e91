import { describe, expect, it } from 'vitest';
import { rng } from '../rng.ts';
import { optimizers } from './optimizer.ts';

/** The textbook update of one number, in float64. */
const textbook = {
  sgd: (gradients: number[], lr: number) => gradients.reduce((p, g) => p - lr * g, 1),
  momentum(gradients: number[], lr: number) {
    let [p, v] = [1, 0];
    for (const g of gradients) {
      v = 0.9 * v + g;
      p -= lr * v;
    }
    return p;
  },
  adam(gradients: number[], lr: number) {
    let [p, m, v] = [1, 0, 0];
    gradients.forEach((g, i) => {
      m = 0.9 * m + 0.1 * g;
      v = 0.999 * v + 0.001 * g * g;
      p -= (lr * (m / (1 - 0.9 ** (i + 1)))) / (Math.sqrt(v / (1 - 0.999 ** (i + 1))) + 1e-7);
    });
    return p;
  },
};

describe('optimizers', () => {
  for (const name of Object.keys(textbook) as (keyof typeof textbook)[]) {
    it(`${name} follows its textbook update, seed 3`, () => {
      const random = rng(3, name);
      const gradients = Array.from({ length: 50 }, () => random.normal());
      const optimizer = optimizers[name](1, { lr: 0.05 });
      const params = Float32Array.of(1);
      gradients.forEach((g, i) => {
        optimizer.apply(params, { values: Float32Array.of(g * 4), keys: null }, 0.25, i + 1);
      });
      expect(params[0]).toBeCloseTo(textbook[name](gradients, 0.05), 5);
    });
  }
});

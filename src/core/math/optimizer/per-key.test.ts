import { describe, expect, it } from 'vitest';
import { rng } from '../rng.ts';
import { optimizers, type Rates } from './optimizer.ts';

type Update = (key: number, g: number) => void;

/** The published updates, in float64, one key at a time. */
const textbook: Record<'sgd' | 'adagrad' | 'ftrl', (w: Map<number, number>, rates: Required<Rates>) => Update> = {
  sgd: (w, { lr }) => {
    return (key, g) => w.set(key, (w.get(key) ?? 0) - lr * g);
  },
  adagrad: (w, { lr }) => {
    const sums = new Map<number, number>();
    return (key, g) => {
      sums.set(key, (sums.get(key) ?? 0) + g ** 2);
      w.set(key, (w.get(key) ?? 0) - (lr * g) / (Math.sqrt(sums.get(key) as number) + 1e-10));
    };
  },
  // McMahan et al. 2013, algorithm 1: weights are computed from z and n when they are needed.
  ftrl: (w, { lr: alpha, beta, l1, l2 }) => {
    const [zs, ns] = [new Map<number, number>(), new Map<number, number>()];
    const weight = (key: number) => {
      const [z, n] = [zs.get(key) ?? 0, ns.get(key) ?? 0];
      return Math.abs(z) <= l1 ? 0 : -(1 / ((beta + Math.sqrt(n)) / alpha + l2)) * (z - Math.sign(z) * l1);
    };
    return (key, g) => {
      const n = ns.get(key) ?? 0;
      const sigma = (Math.sqrt(n + g ** 2) - Math.sqrt(n)) / alpha;
      zs.set(key, (zs.get(key) ?? 0) + g - sigma * weight(key));
      ns.set(key, n + g ** 2);
      w.set(key, weight(key));
    };
  },
};

const SIZE = 20;
const rateSets: readonly Required<Rates>[] = [
  { lr: 0.1, l1: 0, l2: 0, beta: 1 },
  { lr: 0.05, l1: 0.5, l2: 0.3, beta: 2 },
  { lr: 0.3, l1: 2, l2: 0, beta: 0.1 },
];

describe('per-key optimizers', () => {
  for (const name of Object.keys(textbook) as (keyof typeof textbook)[]) {
    for (const [seed, rates] of rateSets.entries()) {
      it(`K6: ${name} follows its textbook update and touches no other key, rates ${seed}, seed ${seed}`, () => {
        const random = rng(seed, name);
        const expected = new Map<number, number>();
        const update = textbook[name](expected, rates);
        const params = new Float32Array(SIZE);
        const optimizer = optimizers[name](SIZE, rates);
        for (let step = 0; step < 60; step++) {
          const keys = Uint32Array.from({ length: SIZE }, (_, key) => key).filter(() => random.uniform() < 0.3);
          const gradient = Float32Array.from(keys, () => random.normal());
          // What is beyond the keys must not be applied.
          const count = Math.max(0, keys.length - 1);
          optimizer.apply(params, { keys: keys.subarray(0, count), values: gradient }, 0.5, step + 1);
          for (let i = 0; i < count; i++) update(keys[i] as number, 0.5 * (gradient[i] as number));
        }
        for (let key = 0; key < SIZE; key++) expect(params[key]).toBeCloseTo(expected.get(key) ?? 0, 4);
      });
    }
  }

  it('ftrl keeps a key at exactly zero while its gradients add up to no more than l1', () => {
    const optimizer = optimizers.ftrl(1, { lr: 0.1, l1: 1 });
    const params = new Float32Array(1);
    for (const [g, isZero] of [
      [0.9, true],
      [-1.5, true],
      [-0.5, false],
    ] as const) {
      optimizer.apply(params, { keys: Uint32Array.of(0), values: Float32Array.of(g) }, 1, 1);
      expect(params[0] === 0).toBe(isZero);
    }
  });
});

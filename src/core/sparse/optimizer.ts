import { keysOf } from '../math/gradient.ts';
import type { Optimizer } from '../math/optimizer/optimizer.ts';

/** Rates of the per-key optimizers; `l1`, `l2` and `beta` are FTRL's. */
export interface SparseRates {
  readonly lr: number;
  readonly l1: number;
  readonly l2: number;
  readonly beta: number;
}

/** FTRL's β as McMahan et al. recommend; no regularisation. */
export const defaultSparseRates: SparseRates = { lr: 0.1, l1: 0, l2: 0, beta: 1 };

/** Makes an optimizer that moves the parameters at a gradient's keys and touches no others. */
type SparseOptimizerFactory = (size: number, rates: SparseRates) => Optimizer;

/** p ← p − lr · g */
const sgd: SparseOptimizerFactory = (_size, { lr }) => ({
  slots: [],
  apply(params, gradient, scale) {
    const rate = lr * scale;
    const keys = keysOf(gradient);
    const { values } = gradient;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as number;
      params[key] = (params[key] as number) - rate * (values[i] as number);
    }
  },
});

/** Keeps the first step of a key with a tiny gradient finite. */
const ADAGRAD_EPSILON = 1e-10;

/** n ← n + g²; p ← p − lr · g ÷ (√n + ε) (Duchi et al., 2011). Each key's first step is lr, whatever its gradient. */
const adagrad: SparseOptimizerFactory = (size, { lr }) => {
  const squares = new Float32Array(size);
  return {
    slots: [squares],
    apply(params, gradient, scale) {
      const keys = keysOf(gradient);
      const { values } = gradient;
      for (let i = 0; i < keys.length; i++) {
        const key = keys[i] as number;
        const g = scale * (values[i] as number);
        const n = (squares[key] as number) + g * g;
        squares[key] = n;
        params[key] = (params[key] as number) - (lr * g) / (Math.sqrt(n) + ADAGRAD_EPSILON);
      }
    },
  };
};

/**
 * FTRL-proximal (McMahan et al., 2013, algorithm 1), with α = lr. Parameters must start at zero: they are a function of
 * z and n. A key whose |z| stays within `l1` is exactly zero.
 */
const ftrl: SparseOptimizerFactory = (size, { lr, l1, l2, beta }) => {
  const zs = new Float32Array(size);
  const squares = new Float32Array(size);
  return {
    slots: [zs, squares],
    apply(params, gradient, scale) {
      const keys = keysOf(gradient);
      const { values } = gradient;
      for (let i = 0; i < keys.length; i++) {
        const key = keys[i] as number;
        const g = scale * (values[i] as number);
        const before = squares[key] as number;
        const n = before + g * g;
        const root = Math.sqrt(n);
        const z = (zs[key] as number) + g - ((root - Math.sqrt(before)) / lr) * (params[key] as number);
        squares[key] = n;
        zs[key] = z;
        params[key] = Math.abs(z) <= l1 ? 0 : (Math.sign(z) * l1 - z) / ((beta + root) / lr + l2);
      }
    },
  };
};

/** Of DiLoCo's outer optimizer. */
const MOMENTUM = 0.9;

/** v ← 0.9 · v + g; p ← p − lr · (g + 0.9 · v), for the keys that a gradient has: what others gathered stays until their turn. */
export const sparseNesterov: SparseOptimizerFactory = (size, { lr }) => {
  const velocity = new Float32Array(size);
  return {
    slots: [velocity],
    apply(params, gradient, scale) {
      const keys = keysOf(gradient);
      const { values } = gradient;
      for (let i = 0; i < keys.length; i++) {
        const key = keys[i] as number;
        const g = scale * (values[i] as number);
        const v = MOMENTUM * (velocity[key] as number) + g;
        velocity[key] = v;
        params[key] = (params[key] as number) - lr * (g + MOMENTUM * v);
      }
    },
  };
};

/** Every per-key optimizer there is, in the order the page lists them. */
export const sparseOptimizers = { sgd, adagrad, ftrl } as const;
export type SparseOptimizerName = keyof typeof sparseOptimizers;

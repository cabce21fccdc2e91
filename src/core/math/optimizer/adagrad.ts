import { keysOf } from '../gradient.ts';
import type { OptimizerFactory } from './optimizer.ts';

/** Keeps the first step of a key with a tiny gradient finite. */
const EPSILON = 1e-10;

/** n ← n + g²; p ← p − lr · g ÷ (√n + ε) (Duchi et al., 2011). Each key's first step is lr, whatever its gradient. */
export const adagrad: OptimizerFactory = (size, { lr }) => {
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
        params[key] = (params[key] as number) - (lr * g) / (Math.sqrt(n) + EPSILON);
      }
    },
  };
};

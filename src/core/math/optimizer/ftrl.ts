import { keysOf } from '../gradient.ts';
import type { OptimizerFactory } from './optimizer.ts';

/**
 * FTRL-proximal (McMahan et al., 2013, algorithm 1), with α = lr and the β they recommend. Parameters must start at zero:
 * they are a function of z and n. A key whose |z| stays within `l1` is exactly zero.
 */
export const ftrl: OptimizerFactory = (size, { lr, l1 = 0, l2 = 0, beta = 1 }) => {
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

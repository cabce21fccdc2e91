import type { OptimizerFactory } from './optimizer.ts';

const MOMENTUM = 0.9;

/** v ← 0.9 · v + g; p ← p − lr · (g + 0.9 · v): the outer optimizer of DiLoCo. */
export const nesterov: OptimizerFactory = (size, lr) => {
  const velocity = new Float32Array(size);
  return {
    slots: [velocity],
    apply(params, { values }, scale) {
      for (let i = 0; i < params.length; i++) {
        const g = scale * (values[i] as number);
        const v = MOMENTUM * (velocity[i] as number) + g;
        velocity[i] = v;
        params[i] = (params[i] as number) - lr * (g + MOMENTUM * v);
      }
    },
  };
};

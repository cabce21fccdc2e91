import type { OptimizerFactory } from './optimizer.ts';

const MOMENTUM = 0.9;

/** v ← 0.9 · v + g; p ← p − lr · v */
export const momentum: OptimizerFactory = (size, { lr }) => {
  const velocity = new Float32Array(size);
  return {
    slots: [velocity],
    apply(params, { values }, scale) {
      for (let i = 0; i < params.length; i++) {
        const v = MOMENTUM * (velocity[i] as number) + scale * (values[i] as number);
        velocity[i] = v;
        params[i] = (params[i] as number) - lr * v;
      }
    },
  };
};

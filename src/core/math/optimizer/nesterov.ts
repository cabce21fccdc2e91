import type { OptimizerFactory } from './optimizer.ts';

const MOMENTUM = 0.9;

/**
 * v ← 0.9 · v + g; p ← p − lr · (g + 0.9 · v): the outer optimizer of DiLoCo. Where a gradient has keys, the velocity at other
 * keys stays as it is until their turn.
 */
export const nesterov: OptimizerFactory = (size, { lr }) => {
  const velocity = new Float32Array(size);
  return {
    slots: [velocity],
    apply(params, { values, keys }, scale) {
      if (keys === null) {
        for (let i = 0; i < params.length; i++) {
          const g = scale * (values[i] as number);
          const v = MOMENTUM * (velocity[i] as number) + g;
          velocity[i] = v;
          params[i] = (params[i] as number) - lr * (g + MOMENTUM * v);
        }
        return;
      }
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

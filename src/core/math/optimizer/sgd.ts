import type { OptimizerFactory } from './optimizer.ts';

/** p ← p − lr · g */
export const sgd: OptimizerFactory = (_size, { lr }) => ({
  slots: [],
  apply(params, { values, keys }, scale) {
    const rate = lr * scale;
    const count = keys?.length ?? params.length;
    for (let i = 0; i < count; i++) {
      const key = keys === null ? i : (keys[i] as number);
      params[key] = (params[key] as number) - rate * (values[i] as number);
    }
  },
});

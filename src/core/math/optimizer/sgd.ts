import type { OptimizerFactory } from './optimizer.ts';

/** p ← p − lr · g */
export const sgd: OptimizerFactory = (_size, { lr }) => ({
  slots: [],
  apply(params, { values, keys }, scale) {
    const rate = lr * scale;
    // Two loops: to ask for each number whether it has a key makes one a fifth slower.
    if (keys === null) {
      for (let i = 0; i < params.length; i++) params[i] = (params[i] as number) - rate * (values[i] as number);
      return;
    }
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as number;
      params[key] = (params[key] as number) - rate * (values[i] as number);
    }
  },
});

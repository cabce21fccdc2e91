import type { OptimizerFactory } from './optimizer.ts';

/** p ← p − lr · g */
export const sgd: OptimizerFactory = (_size, lr) => ({
  slots: [],
  apply(params, { values }, scale) {
    const rate = lr * scale;
    for (let i = 0; i < params.length; i++) params[i] = (params[i] as number) - rate * (values[i] as number);
  },
});

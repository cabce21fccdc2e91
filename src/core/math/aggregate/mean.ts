import type { AggregateFactory } from './aggregate.ts';
import { addScaled } from './vectors.ts';

/** The mean weighted by examples, folded as gradients come: one buffer, however many workers. One liar moves it anywhere. */
export const mean: AggregateFactory = (size) => {
  const sum = new Float32Array(size);
  const gradient = { values: sum, keys: null };
  let total = 0;
  return {
    add({ values }, weight) {
      if (total === 0) sum.fill(0);
      addScaled(sum, values, weight, 0, size);
      total += weight;
    },
    finish: () => ({ gradient, scale: 1 / total }),
    clear() {
      total = 0;
    },
  };
};

import type { AggregateFactory } from './aggregate.ts';
import { held, minority } from './held.ts';
import { Middle } from './middle.ts';

/** The median of each number on its own; of an even count, the mean of the middle two. Holds against any minority of liars. */
export const median: AggregateFactory = (size) => {
  const middle = new Middle();
  return held(size, (gradients, out) => middle.mean(gradients, minority(gradients.length), out));
};

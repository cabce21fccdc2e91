import type { AggregateFactory } from './aggregate.ts';
import { held, minority } from './held.ts';
import { Middle } from './middle.ts';

/** The mean of each number on its own without its `faulty` lowest and highest: holds against so many liars, and wastes less than the median. */
export const trimmed: AggregateFactory = (size, faulty) => {
  const middle = new Middle();
  return held(size, (gradients, out) => middle.mean(gradients, Math.min(faulty, minority(gradients.length)), out));
};

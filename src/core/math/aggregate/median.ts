import type { AggregateFactory } from './aggregate.ts';
import { trimmed } from './trimmed.ts';

/** The median of each number on its own; of an even count, the mean of the middle two. Holds against any minority of liars. */
export const median: AggregateFactory = (size) => trimmed(size, Number.POSITIVE_INFINITY);

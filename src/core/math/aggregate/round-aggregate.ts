import type { Experiment } from '../../../experiment/experiment.ts';
import { sparseMean } from '../../sparse/mean.ts';
import { aggregates, type RoundAggregate } from './aggregate.ts';

/** What the experiment asks for; for parameters with keys that is the mean. */
export function roundAggregate({ aggregate, faulty }: Experiment, size: number, hasKeys: boolean): RoundAggregate {
  if (hasKeys) return sparseMean();
  const dense = aggregates[aggregate](size, faulty);
  return {
    add: ({ values }, weight) => dense.add(values, weight),
    finish() {
      const { values, scale } = dense.finish();
      return { gradient: { values, keys: null }, scale };
    },
    clear: () => dense.clear(),
  };
}

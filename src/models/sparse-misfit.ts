import { leaseExamples } from '../core/server/leases.ts';
import type { Experiment, ExperimentKey } from '../experiment/experiment.ts';
import type { Problem } from '../experiment/problems.ts';
import type { SparseDataSpec } from './sparse-data.ts';
import type { SparseModel } from './sparse-model.ts';

type Misfit = Problem<ExperimentKey>;

/** Per lease: its keys and values, 8 bytes each, must fit into memory several times per worker. */
const MAX_LEASE_ENTRIES = 4_000_000;

/** What does not go with a model whose parameters have keys; null if all does. */
function keyedMisfit(experiment: Experiment, entriesPerExample: number): Misfit | null {
  const { strategy, aggregate, up, down, overlap, optimizer, l1, l2 } = experiment;
  if (strategy === 'allreduce') {
    return { key: 'strategy', text: 'allreduce gives every worker all parameters: use sync, async, bounded or local.' };
  }
  if (aggregate !== 'mean') {
    const text = `Workers touch different parameters, of which a ${aggregate} says little: use mean.`;
    return { key: 'aggregate', text };
  }
  if (up === 'int8' || up === 'topk') {
    return { key: 'up', text: `Only what a batch touches is sent, and ${up} is made for all: use float32 or float16.` };
  }
  if (down === 'int8') {
    return {
      key: 'down',
      text: 'Only what a batch touches is sent, and int8 is made for all: use float32 or float16.',
    };
  }
  if (overlap) {
    return {
      key: 'overlap',
      text: 'The next step needs the values that come with the answer to this one: turn it off.',
    };
  }
  if (optimizer === 'momentum' || optimizer === 'adam') {
    const text = `${optimizer} moves all parameters at every step: use sgd, adagrad or ftrl with a sparse model.`;
    return { key: 'optimizer', text };
  }
  if (strategy === 'local' && optimizer !== 'sgd') {
    const text = `A worker sees other parameters in each round, so ${optimizer} has nothing to go on from: use sgd.`;
    return { key: 'optimizer', text };
  }
  if ((l1 > 0 || l2 > 0) && optimizer !== 'ftrl') {
    return { key: l1 > 0 ? 'l1' : 'l2', text: `Only ftrl draws parameters to zero: use it, or 0 with ${optimizer}.` };
  }
  // The bias is one more.
  const most = Math.floor(MAX_LEASE_ENTRIES / (entriesPerExample + 1));
  if (leaseExamples(experiment) > most) {
    return { key: 'batch', text: `A worker's share of a round may have at most ${most} of these examples.` };
  }
  return null;
}

/** What does not go with a model of which all parameters move; null if all does. */
export function wholeMisfit({ optimizer, l1, l2 }: Experiment): Misfit | null {
  if (optimizer === 'adagrad' || optimizer === 'ftrl') {
    const text = `${optimizer} is for models whose parameters have keys: use sgd, momentum or adam, or a sparse model.`;
    return { key: 'optimizer', text };
  }
  if (l1 > 0 || l2 > 0) return { key: l1 > 0 ? 'l1' : 'l2', text: 'Only ftrl, with a sparse model, uses this: use 0.' };
  return null;
}

/** What does not go with a model over sparse examples; null if all does. */
export function sparseMisfit(model: SparseModel, data: SparseDataSpec, experiment: Experiment): Misfit | null {
  const { features, examples, batch } = experiment;
  if (features < data.minFeatures) {
    return { key: 'features', text: `${data.title} need at least ${data.minFeatures} features, not ${features}.` };
  }
  if (batch > examples)
    return { key: 'batch', text: `is more than the ${examples.toLocaleString('en')} examples there are` };
  return model.movesKeys
    ? keyedMisfit(experiment, data.entriesPerExample ?? experiment.entries)
    : wholeMisfit(experiment);
}

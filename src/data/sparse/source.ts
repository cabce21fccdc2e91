import { rng } from '../../core/math/rng.ts';
import type { SparseBatchBuilder } from '../../core/sparse/batch.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { resolveExperiment } from '../../models/plan.ts';
import { CriteoFake } from './criteo-fake.ts';

/** Every generated data set of this name is the same one; an experiment's seed decides about the order alone. */
const FAKE_SEED = 1;

/** Where sparse examples come from: any part of them, whenever it is asked for. */
export interface SparseSource {
  /** Appends the examples at these positions of the endless stream of epochs. */
  train(batch: SparseBatchBuilder, from: number, count: number): Promise<void>;
  /** Appends all examples kept apart for testing. */
  test(batch: SparseBatchBuilder): Promise<void>;
}

/** The generated data that an experiment over sparse examples names. */
export function openSparse(experiment: Experiment): SparseSource {
  const { kind, data, trainCount } = resolveExperiment(experiment);
  const { testCount } = data;
  if (kind !== 'sparse' || testCount === null) throw new RangeError(`${experiment.data} has no generated examples`);
  const fake = new CriteoFake({ features: experiment.features, seed: FAKE_SEED });
  return {
    async train(batch, from, count) {
      for (let done = 0; done < count; ) {
        const pass = Math.floor((from + done) / trainCount);
        const place = (from + done) % trainCount;
        // Independent examples need no shuffling: each pass takes them in their order from another one on.
        const first = (place + rng(experiment.seed, 'order', pass).below(trainCount)) % trainCount;
        const length = Math.min(count - done, trainCount - place, trainCount - first);
        fake.fill(batch, 'train', first, length);
        done += length;
      }
    },
    async test(batch) {
      fake.fill(batch, 'test', 0, testCount);
    },
  };
}

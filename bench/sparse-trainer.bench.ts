import { parseArgs } from 'node:util';
import { optimizers } from '../src/core/math/optimizer/optimizer.ts';
import { SparseBatchBuilder } from '../src/core/sparse/batch.ts';
import { DistinctKeys } from '../src/core/sparse/distinct-keys.ts';
import { gather, SparseLogistic } from '../src/core/sparse/logistic.ts';
import { CriteoFake } from '../src/data/sparse/criteo-fake.ts';
import { bandOf } from './interleave.ts';

export const name = 'sparse-trainer';
export const describe = 'sparse logistic regression alone, one core: examples/s with and without making the examples';

/** Made ahead for the measurement without the generator: more than a cache holds, little enough to keep. */
const READY_BATCHES = 200;
const WINDOWS = 9;

export async function run(args: readonly string[]): Promise<object> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      features: { type: 'string', default: '33762578' },
      batch: { type: 'string', default: '100' },
      seconds: { type: 'string', default: '1' },
    },
  });
  const [features, batchSize, seconds] = [Number(values.features), Number(values.batch), Number(values.seconds)];
  const fake = new CriteoFake({ features, seed: 1 });
  const ready = Array.from({ length: READY_BATCHES }, (_, index) => {
    const batch = new SparseBatchBuilder(batchSize);
    fake.fill(batch, 'train', index * batchSize, batchSize);
    return batch;
  });
  const distinct = new DistinctKeys();
  const logistic = new SparseLogistic();
  const weights = new Float32Array(batchSize * 39);
  const params = new Float32Array(features).fill(0);
  const made = new SparseBatchBuilder(batchSize);
  let bias = 0;
  let next = READY_BATCHES * batchSize;
  let turn = 0;
  let keys = 0;
  const readyBatch = () => ready[turn++ % READY_BATCHES] as SparseBatchBuilder;
  const madeBatch = () => {
    made.clear();
    fake.fill(made, 'train', next, batchSize);
    next += batchSize;
    return made;
  };
  const results: Record<string, object> = {};
  for (const optimizerName of ['sgd', 'adagrad', 'ftrl'] as const) {
    params.fill(0);
    const optimizer = optimizers[optimizerName](features, { lr: optimizerName === 'sgd' ? 0.4 : 0.05 });
    for (const slot of optimizer.slots) slot.fill(0);
    const step = (batch: SparseBatchBuilder) => {
      distinct.find(batch);
      gather(params, distinct.keys, distinct.count, weights);
      logistic.step(batch, distinct, weights, bias);
      optimizer.apply(params, { keys: distinct.keys.subarray(0, distinct.count), values: logistic.gradient }, 1, 1);
      bias -= 0.4 * logistic.biasGradient;
      keys = distinct.count;
    };
    results[optimizerName] = {
      examplesPerSecond: rateOf(() => step(readyBatch())),
      generatorIncluded: rateOf(() => step(madeBatch())),
    };
  }
  return { features, batchSize, keysOfLastBatch: keys, generatorAlone: rateOf(madeBatch), ...results };

  /** Examples of CPU time, which other programs on the machine disturb less than the clock. */
  function rateOf(work: () => unknown) {
    const rates: number[] = [];
    for (let window = -1; window < WINDOWS; window++) {
      const before = process.cpuUsage();
      const untilMs = performance.now() + (seconds * 1000) / WINDOWS;
      let examples = 0;
      while (performance.now() < untilMs) {
        for (let i = 0; i < 10; i++) work();
        examples += 10 * batchSize;
      }
      const { user, system } = process.cpuUsage(before);
      // The first window warms up.
      if (window >= 0) rates.push(Math.round((examples * 1e6) / (user + system)));
    }
    return bandOf(rates);
  }
}

import { entriesOf, SparseBatchBuilder } from '../core/sparse/batch.ts';
import { DistinctKeys } from '../core/sparse/distinct-keys.ts';
import { StreamingEvaluation } from '../core/sparse/evaluation.ts';
import { decodeExamples } from '../core/sparse/example-coding.ts';
import { SparseLogistic } from '../core/sparse/logistic.ts';
import { openSparse } from '../data/sparse/source.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { resolveExperiment } from '../models/plan.ts';
import { keysWithBias, valuesWithBias } from '../worker/sparse-step.ts';
import type { Evaluator } from './evaluator.ts';

/** As many examples as a part of an image test set has. */
const PART = 1000;

/** Evaluates logistic regression over sparse examples; needs to see only the parameters that the test set touches. */
export async function sparseEvaluator(experiment: Experiment, testExamples: Uint8Array | null): Promise<Evaluator> {
  const { features: bias } = experiment;
  const hasKeys = resolveExperiment(experiment).schema.keysPerExample !== null;
  const batch = await testBatch(experiment, testExamples);
  const found = new DistinctKeys().find(batch);
  const { count } = found;
  const keys = keysWithBias(found, bias);
  // A copy: what the search for keys took is several times that, and can go.
  const distinct = { count, positions: found.positions.slice(0, entriesOf(batch)) };
  const logistic = new SparseLogistic();
  const all = new StreamingEvaluation();

  return {
    keys: hasKeys ? keys : null,
    async evaluate(params) {
      const values = hasKeys ? params : valuesWithBias(params, { keys, count }, bias);
      const scores = logistic.predict(batch, distinct, values, values[count] as number);
      all.clear();
      all.add(scores, batch.labels, batch.count);
      const { logLoss, accuracy, auc } = all.result();
      const precisions: number[] = [];
      for (let from = 0; from < batch.count; from += PART) {
        const to = Math.min(from + PART, batch.count);
        let right = 0;
        for (let i = from; i < to; i++) if ((scores[i] as number) > 0 === (batch.labels[i] === 1)) right += 1;
        precisions.push(right / (to - from));
      }
      return { loss: logLoss, accuracy, precisions, auc };
    },
    close() {},
  };
}

/** The server's examples, or those that the experiment generates. */
async function testBatch(experiment: Experiment, testExamples: Uint8Array | null): Promise<SparseBatchBuilder> {
  const named = resolveExperiment(experiment);
  if (named.kind !== 'sparse') throw new RangeError(`${experiment.data} has no sparse examples`);
  const { data, entriesPerExample } = named;
  if (data.testCount !== null) {
    const batch = new SparseBatchBuilder(data.testCount, data.testCount * entriesPerExample);
    await openSparse(experiment).test(batch);
    return batch;
  }
  if (testExamples === null) throw new Error('the test examples of the file did not come');
  const batch = new SparseBatchBuilder();
  decodeExamples(testExamples, { examples: null, entriesPerExample, features: experiment.features }, batch);
  return batch;
}

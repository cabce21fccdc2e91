import { type SparseBatch, SparseBatchBuilder } from '../core/sparse/batch.ts';
import { DistinctKeys } from '../core/sparse/distinct-keys.ts';
import { decodeExamples } from '../core/sparse/example-coding.ts';
import { SparseLogistic } from '../core/sparse/logistic.ts';
import type { Lease } from '../core/wire/protocol.ts';
import { DataError } from '../data/data-error.ts';
import { openSparse } from '../data/sparse/source.ts';
import { errorText } from '../experiment/error-text.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { DeviceError } from '../ml/device-error.ts';
import { resolveExperiment } from '../models/plan.ts';
import type { Compute, FetchExamples } from './compute.ts';
import { gradientWithBias, keysWithBias, valuesWithBias } from './sparse-step.ts';

/** Appends the examples of a lease. */
type LeaseSource = (batch: SparseBatchBuilder, lease: Lease) => Promise<void>;

function sourceFor(experiment: Experiment, fetchExamples: FetchExamples): LeaseSource {
  const named = resolveExperiment(experiment);
  if (named.kind !== 'sparse') throw new RangeError(`${experiment.data} has no sparse examples`);
  const { data, entriesPerExample } = named;
  if (data.name !== 'file') {
    const made = openSparse(experiment);
    return (batch, { from, count }) => made.train(batch, from, count);
  }
  const { features } = experiment;
  return async (batch, lease) => {
    const bytes = await fetchExamples(lease);
    try {
      decodeExamples(bytes, { examples: lease.count, entriesPerExample, features }, batch);
    } catch (error) {
      throw new DataError(`The examples that the host sent cannot be used: ${errorText(error)}.`);
    }
  };
}

/** A lease's examples, ready to compute. Its arrays are used again. */
class Staged {
  readonly batch = new SparseBatchBuilder();
  readonly distinct = new DistinctKeys();
  lease: Lease | null = null;

  async fill(source: LeaseSource, lease: Lease): Promise<void> {
    this.lease = null;
    this.batch.clear();
    await source(this.batch, lease);
    this.distinct.find(this.batch);
    this.lease = lease;
  }

  holds({ id, from, count }: Lease): boolean {
    const { lease } = this;
    return lease?.id === id && lease.from <= from && from + count <= lease.from + lease.count;
  }
}

/** A worker holds three leases; one more is being made while another is handed in. */
const STAGED = 4;

/**
 * Logistic regression on typed arrays, without a tensor library: sees only the parameters that its examples touch, be it
 * that only those are given (by their keys, the bias last) or that it takes them from all.
 */
export function sparseCompute(): Compute {
  const logistic = new SparseLogistic();
  const staged = Array.from({ length: STAGED }, () => new Staged());
  let source: LeaseSource | null = null;
  let features = 0;
  let hasKeys = true;
  let turn = 0;

  const stage = async (lease: Lease): Promise<Staged> => {
    if (!source) throw new Error('a step before its data was prepared');
    const next = staged[turn++ % STAGED] as Staged;
    await next.fill(source, lease);
    return next;
  };

  return {
    async prepare(experiment, _onStage, fetchExamples) {
      const { schema } = resolveExperiment(experiment);
      for (const one of staged) one.lease = null;
      source = sourceFor(experiment, fetchExamples);
      features = experiment.features;
      hasKeys = schema.keysPerExample !== null;
      return { name: 'arrays', why: 'a sparse model needs no tensor library' };
    },
    prefetch(lease) {
      const ready = stage(lease);
      if (hasKeys) return ready.then(({ distinct }) => keysWithBias(distinct, features));
      // A step that does not find its batch makes it, and then says what went wrong.
      ready.catch(() => {});
    },
    async step(params, part) {
      const startMs = performance.now();
      const found = staged.find((one) => one.holds(part)) ?? (await stage(part));
      const { batch, distinct } = found;
      const stagedMs = performance.now();
      const values = hasKeys ? params : valuesWithBias(params, distinct, features);
      if (values.length !== distinct.count + 1)
        throw new Error(`expected ${distinct.count + 1} values, got ${values.length}`);
      const view = partOf(found, part);
      const loss = logistic.step(
        view.batch,
        { ...view, count: distinct.count },
        values,
        values[distinct.count] as number,
      );
      if (!Number.isFinite(loss))
        throw new DeviceError('non-finite', 'the loss is not finite: try a lower learning rate');
      const gradient = gradientWithBias(logistic, distinct, hasKeys ? null : params.length);
      if (part.from + part.count === (found.lease?.from ?? 0) + batch.count) found.lease = null;
      const doneMs = performance.now();
      const { correct } = logistic;
      return { gradient, loss, correct, decodeMs: stagedMs - startMs, computeMs: doneMs - stagedMs, readMs: 0 };
    },
  };
}

/** Some examples of a lease, with the lease's keys. */
function partOf(
  { batch, distinct, lease }: Staged,
  { from, count }: Lease,
): { batch: SparseBatch; positions: Uint32Array } {
  const first = from - (lease?.from ?? from);
  if (first === 0 && count === batch.count) return { batch, positions: distinct.positions };
  const start = batch.offsets[first] as number;
  const part = {
    count,
    offsets: batch.offsets.subarray(first, first + count + 1).map((offset) => offset - start),
    keys: batch.keys.subarray(start),
    values: batch.values.subarray(start),
    labels: batch.labels.subarray(first),
  };
  return { batch: part, positions: distinct.positions.subarray(start) };
}

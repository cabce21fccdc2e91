import { codecNamed } from '../core/math/codec/codec.ts';
import { rng } from '../core/math/rng.ts';
import { SparseBatchBuilder } from '../core/sparse/batch.ts';
import { DistinctKeys } from '../core/sparse/distinct-keys.ts';
import { encodeKeys, maxKeyBytes } from '../core/sparse/key-coding.ts';
import { SparseLogistic } from '../core/sparse/logistic.ts';
import { openSparse } from '../data/sparse/source.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { resolveExperiment } from '../models/plan.ts';
import type { OperatorTime, StepProfile } from '../observe/step-trace.ts';
import { medianMs, middle } from './median-time.ts';
import { gradientWithBias, valuesWithBias } from './sparse-step.ts';

const WARM_UP_MS = 300;

/** One step of a model over sparse examples, part by part; where the host gathers, that is counted too. */
export async function sparseProfile(experiment: Experiment): Promise<StepProfile> {
  const { schema } = resolveExperiment(experiment);
  const source = openSparse(experiment);
  const codec = codecNamed(experiment.up, experiment.topk);
  const params = new Float32Array(schema.size);
  const isKeyed = schema.keysPerExample !== null;
  const random = rng(experiment.seed, 'profile');
  const batch = new SparseBatchBuilder();
  const distinct = new DistinctKeys();
  const logistic = new SparseLogistic();
  let from = 0;

  const step = async (done: (name: string, length: number, bytes: number) => void) => {
    batch.clear();
    await source.train(batch, from, experiment.batch);
    from += experiment.batch;
    const entries = batch.offsets[batch.count] ?? 0;
    done('read examples', entries, 8 * entries + batch.count);
    distinct.find(batch);
    const { count, keys } = distinct;
    done('find keys', count, 4 * count);
    const values = valuesWithBias(params, distinct, experiment.features);
    done('gather', count + 1, values.byteLength);
    logistic.step(batch, distinct, values, values[count] as number);
    done('forward + backward', count + 1, 4 * (count + 1));
    const gradient = gradientWithBias(logistic, distinct, isKeyed ? null : schema.size);
    const numbers = codec.encode(gradient, random).length;
    const body = numbers + (isKeyed ? encodeKeys(keys, count, new Uint8Array(maxKeyBytes(count))) : 0);
    done('encode', gradient.length, body);
  };

  const whole = () => step(() => {});
  // The first steps are slower: nothing is compiled yet, and memory is touched for the first time.
  const warmAtMs = performance.now() + WARM_UP_MS;
  while (performance.now() < warmAtMs) await whole();
  const stepMs = await medianMs(whole);
  const seen = new Map<string, OperatorTime[]>();
  await medianMs(() => {
    let sinceMs = performance.now();
    return step((name, length, outputBytes) => {
      const ms = performance.now() - sinceMs;
      seen.set(name, [...(seen.get(name) ?? []), { name, outputShape: [length], outputBytes, ms }]);
      sinceMs = performance.now();
    });
  });
  const operators = [...seen.values()].flatMap((times) => {
    const last = times.at(-1);
    return last ? [{ ...last, ms: middle(times.map(({ ms }) => ms)) }] : [];
  });
  return { backend: 'arrays', batch: experiment.batch, operators, stepMs };
}

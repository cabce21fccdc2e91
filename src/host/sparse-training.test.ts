import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, describe, expect, it } from 'vitest';
import { SparseBatchBuilder } from '../core/sparse/batch.ts';
import { tallyBytes } from '../core/wire/traffic.ts';
import { openSparse } from '../data/sparse/source.ts';
import { defaultExperiment, type Experiment } from '../experiment/experiment.ts';
import { sparseCompute } from '../worker/sparse-compute.ts';
import { Cluster, memoryStore } from './cluster-for-tests.ts';

const FEATURES = 1000;
const sparse: Partial<Experiment> = {
  model: 'sparse-logistic',
  data: 'criteo-fake',
  features: FEATURES,
  examples: 5000,
  evalEvery: 1_000_000,
};

const clusters: Cluster[] = [];
const cluster = (experiment: Partial<Experiment>, workers: number, store = memoryStore()) => {
  const made = new Cluster({ ...sparse, workers, ...experiment }, store);
  clusters.push(made);
  made.start();
  for (let i = 0; i < workers; i++) made.addWorker({ compute: sparseCompute() });
  return made;
};
const finished = (made: Cluster) => made.until(({ run }) => run?.phase === 'finished');
const maxDifference = (a: Float32Array, b: Float32Array) =>
  a.length === b.length
    ? a.reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] as number))), 0)
    : Infinity;

afterEach(() => {
  for (const made of clusters.splice(0)) made.close();
});

/** The same examples as dense rows, stepped by tfjs. */
async function denseReference(experiment: Experiment, batch: number, steps: number, lr: number): Promise<Float32Array> {
  await tf.setBackend('cpu');
  const source = openSparse(experiment);
  let weights = tf.zeros<tf.Rank.R2>([FEATURES, 1]);
  let bias = tf.zeros<tf.Rank.R1>([1]);
  for (let step = 0; step < steps; step++) {
    const examples = new SparseBatchBuilder();
    await source.train(examples, step * batch, batch);
    const rows = new Float32Array(batch * FEATURES);
    for (let row = 0, i = 0; row < batch; row++) {
      for (; i < (examples.offsets[row + 1] as number); i++) {
        const at = row * FEATURES + (examples.keys[i] as number);
        rows[at] = (rows[at] as number) + (examples.values[i] as number);
      }
    }
    [weights, bias] = tf.tidy(() => {
      const x = tf.tensor2d(rows, [batch, FEATURES]);
      const y = tf.tensor2d(Float32Array.from(examples.labels.subarray(0, batch)), [batch, 1]);
      const errors = tf.div(tf.sub(tf.sigmoid(tf.add(tf.matMul(x, weights), bias)), y), batch);
      const [dw, db] = [tf.matMul(x, errors, true, false), tf.sum(errors, 0)];
      return [tf.sub(weights, tf.mul(dw, lr)), tf.sub(bias, tf.mul(db, lr))];
    });
  }
  return Float32Array.from([...(await weights.data()), ...(await bias.data())]);
}

describe('parameters with keys through real frames', { timeout: 60_000 }, () => {
  it('2 workers × batch 50 and dense logistic regression by tfjs give the same parameters to 1e-5 after 100 steps', async () => {
    const made = cluster({ strategy: 'sync', batch: 50, maxSteps: 100, lr: 0.4, seed: 7 }, 2);
    await finished(made);
    const dense = await denseReference({ ...defaultExperiment, ...made.experiment }, 100, 100, 0.4);
    expect(made.params).toHaveLength(FEATURES + 1);
    expect(Math.max(...made.params)).toBeGreaterThan(0.1);
    expect(maxDifference(made.params, dense)).toBeLessThan(1e-5);
  });

  it('moved whole, the same model gives the same parameters', async () => {
    const shape = { strategy: 'sync', batch: 50, maxSteps: 20, lr: 0.4, seed: 7 } as const;
    const keyed = cluster(shape, 2);
    const whole = cluster({ ...shape, model: 'dense-logistic' }, 2);
    await Promise.all([finished(keyed), finished(whole)]);
    expect(maxDifference(keyed.params, whole.params)).toBeLessThan(1e-6);
  });

  it('one exchange per round, keys once: after the first pull nothing travels but pushes and answers (B1, K3, K8)', async () => {
    const made = cluster({ strategy: 'sync', batch: 50, maxSteps: 40 }, 1);
    await finished(made);
    const { sent, received } = made.state?.workers[0]?.traffic ?? {};
    if (!sent || !received) throw new Error('no traffic');
    expect(received.gradients.frames).toBe(41);
    expect(sent.parameters.frames).toBe(40);
    expect(tallyBytes(received) + tallyBytes(sent)).toBeLessThan(40 * 2 * 4 * FEATURES);
  });

  it.each([
    ['async', { strategy: 'async', optimizer: 'ftrl', l1: 0.1, lr: 0.1 }],
    ['bounded', { strategy: 'bounded', optimizer: 'adagrad', lr: 0.05 }],
    [
      'local, averaged, in float16',
      { strategy: 'local', localSteps: 4, outer: 'average', up: 'float16', down: 'float16' },
    ],
    ['local with nesterov', { strategy: 'local', localSteps: 4, outer: 'nesterov', outerLr: 0.3 }],
  ] as const)('%s learns', async (_, change) => {
    const made = cluster({ batch: 25, maxSteps: 120, lr: 0.4, ...change }, 2);
    await finished(made);
    const losses = made.train.map(({ loss }) => loss);
    const mean = (some: number[]) => some.reduce((a, b) => a + b, 0) / some.length;
    expect(mean(losses.slice(-20))).toBeLessThan(mean(losses.slice(0, 5)) - 0.08);
  });

  it('a host that starts again goes on from a checkpoint of what was touched (K7)', async () => {
    const store = memoryStore();
    const change = { strategy: 'async', batch: 10, maxSteps: 600, optimizer: 'ftrl', lr: 0.1 } as const;
    // Slow enough to be paused before it is over.
    const before = cluster({ ...change, emulate: '*:latency=1' }, 1, store);
    await before.until(({ run }) => (run?.version ?? 0) > 20);
    before.tell({ type: 'pause' });
    await before.until(({ run }) => run?.phase === 'paused' && store.saves > 0);
    const after = new Cluster({ ...sparse, workers: 1, ...change }, store);
    clusters.push(after);
    await after.until(({ resumable }) => resumable !== null);
    expect(after.state?.resumable?.version).toBeGreaterThan(20);
    after.tell({ type: 'resume-saved' });
    after.addWorker({ compute: sparseCompute() });
    await finished(after);
    expect(after.state?.run?.version).toBe(600);
    expect(after.train).toHaveLength(600);
    const straight = cluster(change, 1);
    await finished(straight);
    expect(maxDifference(after.params, straight.params)).toBeLessThan(1e-5);
  });
});

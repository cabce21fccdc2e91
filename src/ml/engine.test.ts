import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { memory, profile, tensor } from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { rng } from '../core/math/rng.ts';
import { models } from '../models/model.ts';
import { createEngine } from './engine.ts';
import { network } from './network.ts';
import { mlpLossReference, randomParams, relativeDifference, sample, softmaxReference } from './reference-for-tests.ts';
import { stagingKernels } from './staging.ts';

const seed = 11;
const some = sample(40, seed);
const indices = Uint32Array.of(3, 1, 4, 15, 9, 26, 5, 35, 8, 9);

test(`the gradient and loss of softmax regression are those of the textbook (seed ${seed})`, async () => {
  const engine = await createEngine(models.softmax, some.data, 'cpu');
  expect(engine.backend).toEqual({ name: 'cpu', why: 'plain JavaScript: as asked' });
  const params = randomParams(engine.schema.size, seed);
  const batch = engine.stage(some.images, some.labels, indices);
  const result = await engine.gradient(params, batch);
  const expected = softmaxReference(params, some, indices);
  expect(relativeDifference(result.gradient, expected.gradient)).toBeLessThan(1e-5);
  expect(result.loss).toBeCloseTo(expected.loss, 5);
  expect(result.gradient.buffer.byteLength).toBe(4 * engine.schema.size);
  batch.dispose();
  engine.close();
});

test(`the gradient of the mlp is the slope of its loss (seed ${seed})`, async () => {
  const engine = await createEngine(models.mlp, some.data, 'cpu');
  const params = randomParams(engine.schema.size, seed);
  const batch = engine.stage(some.images, some.labels, indices);
  const result = await engine.gradient(params, batch);
  expect(result.loss).toBeCloseTo(mlpLossReference(Float64Array.from(params), some, indices), 5);
  const random = rng(seed, 'probe');
  // Five of each tensor; biases and weights of both layers.
  for (const { name, offset, size } of engine.schema.tensors) {
    const probes = Array.from({ length: 5 }, () => offset + random.below(size));
    const slopes = probes.map((probe) => {
      const lossAt = (change: number) => {
        const moved = Float64Array.from(params);
        moved[probe] = (moved[probe] ?? 0) + change;
        return mlpLossReference(moved, some, indices);
      };
      return (lossAt(1e-5) - lossAt(-1e-5)) / 2e-5;
    });
    const computed = probes.map((probe) => result.gradient[probe] ?? Number.NaN);
    expect(relativeDifference(computed, slopes), name).toBeLessThan(1e-4);
  }
  batch.dispose();
  engine.close();
});

test('huge logits give a finite loss and gradient', async () => {
  const engine = await createEngine(models.softmax, some.data, 'cpu');
  const params = randomParams(engine.schema.size, seed).map((value) => value * 1e5);
  const batch = engine.stage(some.images, some.labels, indices);
  const { gradient, loss } = await engine.gradient(params, batch);
  const expected = softmaxReference(params, some, indices);
  expect(expected.loss).toBe(Number.POSITIVE_INFINITY);
  expect(loss).toBeGreaterThan(1000);
  expect(Number.isFinite(loss)).toBe(true);
  expect(gradient.every(Number.isFinite)).toBe(true);
  batch.dispose();
  engine.close();
});

test('an evaluation does not depend on the chunk, nor on what was evaluated before', async () => {
  const engine = await createEngine(models.softmax, some.data, 'cpu');
  const params = randomParams(engine.schema.size, seed);
  const expected = softmaxReference(params, some, some.labels.keys());
  for (const chunk of [1000, 40, 7, 1]) {
    const result = await engine.evaluate(params, some.images, some.labels, chunk);
    expect(result.loss).toBeCloseTo(expected.loss, 5);
    expect(result.accuracy).toBe(expected.accuracy);
  }
  const other = sample(20, seed + 1);
  const result = await engine.evaluate(params, other.images, other.labels, 7);
  expect(result.loss).toBeCloseTo(softmaxReference(params, other, other.labels.keys()).loss, 5);
  engine.close();
});

test.each(['softmax', 'mlp'] as const)('%s names every kernel that it runs', async (name) => {
  const engine = await createEngine(models[name], some.data, 'cpu');
  const params = randomParams(engine.schema.size, seed);
  const { kernelNames } = await profile(async () => {
    const batch = engine.stage(some.images, some.labels, indices);
    await engine.gradient(params, batch);
    batch.dispose();
    return tensor([0]);
  });
  const needs = [...network(models[name].layers(10), some.data.input).needs, ...stagingKernels];
  expect(kernelNames.filter((kernel) => !needs.includes(kernel))).toEqual([]);
  engine.close();
});

test('closing frees everything', async () => {
  const before = memory().numTensors;
  const engine = await createEngine(models.mlp, some.data, 'cpu');
  const params = randomParams(engine.schema.size, seed);
  const batch = engine.stage(some.images, some.labels, indices);
  await engine.gradient(params, batch);
  await engine.evaluate(params, some.images, some.labels);
  batch.dispose();
  engine.close();
  expect(memory().numTensors).toBe(before);
});

test('a step whose result is dropped leaves nothing in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const engine = await createEngine(models.softmax, some.data, 'cpu');
  const params = randomParams(engine.schema.size, seed);
  const batch = engine.stage(some.images, some.labels, indices);
  const usedBytes = () => {
    collect();
    return process.memoryUsage().arrayBuffers;
  };
  await engine.gradient(params, batch);
  const before = usedBytes();
  for (let step = 0; step < 1000; step++) await engine.gradient(params, batch);
  // All gradients together take 31 MB. What was collected is given back a little later.
  await expect.poll(() => usedBytes() - before).toBeLessThan(20 * params.byteLength);
  batch.dispose();
  engine.close();
});

test('refuses parameters of another size and examples that do not exist', async () => {
  const engine = await createEngine(models.softmax, some.data, 'cpu');
  const batch = engine.stage(some.images, some.labels, indices);
  await expect(engine.gradient(new Float32Array(3), batch)).rejects.toThrow('the model has 7850 parameters, 3 came');
  expect(() => engine.stage(some.images, some.labels, Uint32Array.of(40))).toThrow('example 40 is beyond the data');
  batch.dispose();
  engine.close();
});

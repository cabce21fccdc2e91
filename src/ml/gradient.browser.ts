import { memory } from '@tensorflow/tfjs-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ModelName, models } from '../models/model.ts';
import { createEngine, type Engine, type GradientResult } from './engine.ts';
import { randomParams, relativeDifference, sample, softmaxReference } from './reference-for-tests.ts';

const seed = 5;
const some = sample(120, seed);
const indices = Uint32Array.from({ length: 50 }, (_, i) => (i * 7) % 120);

/** Shared by the tests of one model: cpu comes first and is what the others are held against. */
const results = new Map<string, GradientResult>();

describe.each(['softmax', 'mlp'] satisfies ModelName[])('%s', (name) => {
  describe.each(['cpu', 'wasm', 'webgpu'] as const)('on %s', (backend) => {
    let engine: Engine;
    let params: Float32Array;

    beforeAll(async () => {
      engine = await createEngine(models[name], some.data, backend);
      params = randomParams(engine.schema.size, seed);
    });
    afterAll(() => engine.close());

    test(`the gradient is the same as on cpu to 1e-4 (seed ${seed})`, async () => {
      expect(engine.backend).toMatchObject({ name: backend });
      const batch = engine.stage(some.images, some.labels, indices);
      const result = await engine.gradient(params, batch);
      batch.dispose();
      results.set(`${name} ${backend}`, result);
      const cpu = results.get(`${name} cpu`) ?? result;
      expect(relativeDifference(result.gradient, cpu.gradient)).toBeLessThan(1e-4);
      expect(result.loss).toBeCloseTo(cpu.loss, 4);
      expect(result.gradient.some((value) => value !== 0)).toBe(true);
      if (name === 'softmax') {
        const expected = softmaxReference(params, some, indices);
        expect(relativeDifference(result.gradient, expected.gradient)).toBeLessThan(1e-4);
        expect(result.loss).toBeCloseTo(expected.loss, 4);
      }
    });

    test('the gradient can be transferred and the next one is its own', async () => {
      const batch = engine.stage(some.images, some.labels, indices);
      const first = await engine.gradient(params, batch);
      structuredClone(first.gradient, { transfer: [first.gradient.buffer] });
      const second = await engine.gradient(params, batch);
      batch.dispose();
      expect(first.gradient.length).toBe(0);
      const expected = results.get(`${name} ${backend}`)?.gradient ?? [];
      expect(relativeDifference(second.gradient, expected)).toBeLessThan(1e-6);
    });

    test('two batches staged at once do not mix', async () => {
      const other = engine.stage(
        some.images,
        some.labels,
        Uint32Array.from(indices, (index) => (index + 1) % 120),
      );
      const batch = engine.stage(some.images, some.labels, indices);
      await engine.gradient(params, other);
      const result = await engine.gradient(params, batch);
      batch.dispose();
      other.dispose();
      const expected = results.get(`${name} ${backend}`)?.gradient ?? [];
      expect(relativeDifference(result.gradient, expected)).toBeLessThan(1e-6);
    });

    test.runIf(name === 'softmax')('an evaluation is that of the textbook whatever the chunk', async () => {
      const expected = softmaxReference(params, some, some.labels.keys());
      for (const chunk of [1000, 50]) {
        const { loss, accuracy } = await engine.evaluate(params, some.images, some.labels, chunk);
        expect(loss).toBeCloseTo(expected.loss, 4);
        expect(accuracy).toBeCloseTo(expected.accuracy, 6);
      }
    });

    test('fifty steps leave no tensor behind', async () => {
      // Few examples: software WebGPU is slow.
      const few = indices.subarray(0, 8);
      const step = async () => {
        const batch = engine.stage(some.images, some.labels, few);
        await engine.gradient(params, batch);
        batch.dispose();
      };
      await step();
      const before = { ...memory() };
      for (let i = 0; i < 50; i++) {
        await step();
        expect(memory().numTensors).toBe(before.numTensors);
      }
      expect(memory().numDataBuffers).toBe(before.numDataBuffers);
    });
  });
});

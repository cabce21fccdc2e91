import { memory } from '@tensorflow/tfjs-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rng } from '../core/math/rng.ts';
import { alexNetLayers } from '../models/alexnet.ts';
import { type Model, models } from '../models/model.ts';
import { createEngine, type Engine, type GradientResult } from './engine.ts';
import { relativeDifference } from './reference-for-tests.ts';

const seed = 23;
const EXAMPLES = 2;

/** AlexNet with its own windows, but fewer pixels and filters: plain JavaScript computes it too. */
const alexnetThin: Model = {
  name: 'alexnet-thin',
  title: 'AlexNet, thin',
  layers: (classes) =>
    alexNetLayers({ first: { size: 11, stride: 4, pad: 'valid' }, filters: [8, 24, 48, 32, 32], units: 64 }, classes),
};
const cases: { model: Model; input: readonly number[] }[] = [
  { model: models.lenet, input: [28, 28, 1] },
  { model: models['alexnet-small'], input: [32, 32, 3] },
  { model: alexnetThin, input: [67, 67, 3] },
];

describe.each(cases)('$model.name', ({ model, input }) => {
  const random = rng(seed, model.name);
  const size = input.reduce((a, b) => a * b, 1);
  const data = { name: 'some', title: '', input, classes: 10, trainCount: 8, testCount: 8, downloadBytes: 0 };
  const images = Uint8Array.from({ length: 8 * size }, () => random.below(256));
  const labels = Uint8Array.from({ length: 8 }, () => random.below(10));
  const indices = Uint32Array.from({ length: EXAMPLES }, (_, i) => i + 2);
  let expected: GradientResult;

  /** Large enough that all layers matter, biases too. */
  const paramsOf = ({ schema }: Engine) => {
    const params = new Float32Array(schema.size);
    for (const { offset, size, init } of schema.tensors) {
      const reach = init.kind === 'uniform' ? Math.sqrt(6 / init.fan) : 0.1;
      for (let i = offset; i < offset + size; i++) params[i] = (2 * random.uniform() - 1) * reach;
    }
    return params;
  };
  let params: Float32Array;

  describe.each(['cpu', 'wasm', 'webgpu'] as const)('on %s', (backend) => {
    let engine: Engine;
    let first: GradientResult;
    beforeAll(async () => {
      engine = await createEngine(model, data, backend);
      params ??= paramsOf(engine);
    });
    afterAll(() => engine.close());
    const step = async (at = params, draw = { seed, from: 40 }) => {
      const batch = engine.stage(images, labels, indices, draw);
      try {
        return await engine.gradient(at, batch);
      } finally {
        batch.dispose();
      }
    };

    test(`each tensor's gradient is the same as on cpu to 1e-3 (seed ${seed})`, async () => {
      expect(engine.backend).toMatchObject({ name: backend });
      const result = await step();
      first = result;
      expected ??= result;
      expect(result.loss).toBeCloseTo(expected.loss, 3);
      for (const { name, offset, size } of engine.schema.tensors) {
        const part = (all: Float32Array) => all.subarray(offset, offset + size);
        expect(
          part(expected.gradient).some((value) => value !== 0),
          `${name} is not zero`,
        ).toBe(true);
        expect(relativeDifference(part(result.gradient), part(expected.gradient)), name).toBeLessThan(1e-3);
      }
    });

    test('the same step computed again is the same, and leaves no tensor behind', async () => {
      const before = { ...memory() };
      const again = await step();
      expect(relativeDifference(again.gradient, first.gradient)).toBeLessThan(1e-6);
      expect(memory().numTensors).toBe(before.numTensors);
      expect(memory().numDataBuffers).toBe(before.numDataBuffers);
    });

    test.runIf(backend === 'wasm')(`the gradient is the slope of the loss (seed ${seed})`, async () => {
      const { gradient } = await step();
      const squares = gradient.reduce((sum, value) => sum + value * value, 0);
      // Along the gradient, where the slope is steepest: by as much as changes the loss by about 0.002 each way.
      const lossAt = async (change: number) =>
        (await step(params.map((value, i) => value + (change * (gradient[i] ?? 0)) / squares))).loss;
      const measured = ((await lossAt(0.002)) - (await lossAt(-0.002))) / 0.004;
      expect(measured).toBeCloseTo(1, 1);
    });

    test.runIf(backend === 'wasm' && model.name !== 'lenet')('dropout follows seed and position', async () => {
      const base = await step();
      const other = await step(params, { seed: seed + 1, from: 40 });
      const moved = await step(params, { seed, from: 41 });
      expect(relativeDifference(other.gradient, base.gradient)).toBeGreaterThan(0.01);
      expect(relativeDifference(moved.gradient, base.gradient)).toBeGreaterThan(0.01);
    });

    test.runIf(backend === 'wasm')('nothing grows between step 100 and step 500', async () => {
      for (let i = 0; i < 100; i++) await step();
      const before = { ...memory() };
      for (let i = 0; i < 400; i++) await step();
      expect(memory().numTensors).toBe(before.numTensors);
      expect(memory().numDataBuffers).toBe(before.numDataBuffers);
      expect(memory().numBytes).toBe(before.numBytes);
    });
  });
});

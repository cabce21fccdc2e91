import { memory } from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { models } from '../models/model.ts';
import { createEngine } from './engine.ts';
import { randomParams, sample } from './reference-for-tests.ts';

const EXAMPLES = 32;
const some = sample(EXAMPLES, 5);
const indices = Uint32Array.from({ length: EXAMPLES }, (_, i) => i);

async function profile(model: 'softmax' | 'lenet', backend: 'cpu' | 'wasm' | 'webgpu', examples = EXAMPLES) {
  const engine = await createEngine(models[model], some.data, backend);
  try {
    const params = randomParams(engine.schema.size, 5);
    const batch = engine.stage(some.images, some.labels, indices.subarray(0, examples));
    for (let i = 0; i < 5; i++) await engine.gradient(params, batch);
    const times: number[] = [];
    for (let i = 0; i < 9; i++) {
      const { decodeMs, computeMs, readMs } = await engine.gradient(params, batch);
      times.push(decodeMs + computeMs + readMs);
    }
    const before = memory().numTensors;
    const operators = await engine.operators(params, batch);
    expect(memory().numTensors).toBe(before);
    batch.dispose();
    const stepMs = times.sort((a, b) => a - b)[4] ?? 0;
    return { operators, stepMs, size: engine.schema.size };
  } finally {
    engine.close();
  }
}

describe('on wasm', () => {
  test('LeNet: every layer has its operators, forward and backward, in the order they run', async () => {
    const { operators, stepMs, size } = await profile('lenet', 'wasm');
    const names = operators.map(({ name }) => name);
    expect(names[0]).toBe('parameters · upload');
    expect(names.at(-1)).toBe('logits and gradient · read back');
    const inOrder = [
      'conv1 forward · FusedConv2D',
      'avgpool1 forward · AvgPool',
      'conv2 forward · FusedConv2D',
      'loss backward · Softmax',
      'conv2 backward · Conv2DBackpropFilter',
      'conv2 backward · Conv2DBackpropInput',
      'conv1 backward · Conv2DBackpropFilter',
    ];
    const places = inOrder.map((name) => names.indexOf(name));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
    const shapeOf = (name: string) => operators.find((operator) => operator.name === name)?.outputShape;
    expect(shapeOf('conv1 forward · FusedConv2D')).toEqual([EXAMPLES, 28, 28, 6]);
    expect(shapeOf('conv2 backward · Conv2DBackpropFilter')).toEqual([5, 5, 6, 16]);
    expect(operators[0]).toMatchObject({ outputShape: [size], outputBytes: 4 * size });
    for (const { outputShape, outputBytes, ms } of operators) {
      expect(outputBytes).toBe(4 * outputShape.reduce((a, b) => a * b, 1));
      expect(ms).toBeGreaterThanOrEqual(0);
    }
    const sumMs = operators.reduce((sum, { ms }) => sum + ms, 0);
    console.log(`operators ${sumMs.toFixed(2)} ms, the step ${stepMs.toFixed(2)} ms`);
    expect(sumMs).toBeGreaterThan(0.3 * stepMs);
    expect(sumMs).toBeLessThan(3 * stepMs);
  });
});

test.each(['cpu', 'wasm', 'webgpu'] as const)(
  'softmax on %s: one layer, its loss and its gradient',
  async (backend) => {
    const { operators } = await profile('softmax', backend, 8);
    const names = operators.map(({ name }) => name);
    expect(names).toContain('loss backward · Softmax');
    expect(names.some((name) => name.endsWith('forward · FusedMatMul'))).toBe(true);
    expect(names.some((name) => name.endsWith('backward · BatchMatMul'))).toBe(true);
    expect(operators.find(({ name }) => name.endsWith('backward · BatchMatMul'))?.outputShape).toEqual([784, 10]);
    expect(operators.every(({ ms }) => ms >= 0 && Number.isFinite(ms))).toBe(true);
  },
);

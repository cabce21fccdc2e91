import '@tensorflow/tfjs-backend-cpu';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import { backend_util, memory, setBackend, type Tensor, tensor, tidy } from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Rng, rng } from '../../../core/math/rng.ts';
import { relativeDifference } from '../../reference-for-tests.ts';
import { kernel } from '../kernel.ts';
import { installKernels } from './install.ts';
import { COLUMN_SUMS, RELU_GRADIENT } from './names.ts';

beforeAll(async () => {
  const entry = createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm');
  setWasmPaths(join(dirname(entry), '/'));
  await setBackend('wasm');
  await installKernels();
});

interface Values {
  readonly values: Float32Array | Int32Array;
  readonly shape: readonly number[];
}
const size = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);
const normal = (random: Rng, ...shape: number[]): Values => ({
  values: Float32Array.from({ length: size(shape) }, () => random.normal()),
  shape,
});
const between = (random: Rng, low: number, high: number) => low + random.below(high - low + 1);

/** What a kernel of a backend makes of these inputs; checks that it leaves no tensor behind. */
async function run(backend: string, name: string, inputs: Record<string, Values>, attrs: object): Promise<Values> {
  await setBackend(backend);
  const before = memory().numTensors;
  const result = tidy(() => {
    const tensors = Object.entries(inputs).map(([key, { values, shape }]): [string, Tensor] => [
      key,
      tensor(values, [...shape], values instanceof Int32Array ? 'int32' : 'float32'),
    ]);
    return kernel(name, Object.fromEntries(tensors), { ...attrs });
  });
  const values = (await result.data()) as Float32Array;
  result.dispose();
  expect(memory().numTensors, `${name} on ${backend} leaves tensors`).toBe(before);
  return { values, shape: result.shape };
}

async function expectSame(name: string, inputs: Record<string, Values>, attrs: object): Promise<void> {
  const [expected, found] = [await run('cpu', name, inputs, attrs), await run('wasm', name, inputs, attrs)];
  expect(found.shape).toEqual(expected.shape);
  if (expected.values.every((value) => value === 0)) expect(found.values.every((value) => value === 0)).toBe(true);
  else expect(relativeDifference(found.values, expected.values), JSON.stringify(attrs)).toBeLessThan(2e-5);
}

/** A random convolution whose output is not empty. */
function convolution(random: Rng, canDilate: boolean) {
  for (;;) {
    const x = [between(random, 1, 4), between(random, 1, 14), between(random, 1, 14), between(random, 1, 9)] as const;
    const filter = [between(random, 1, 5), between(random, 1, 5), x[3], between(random, 1, 19)] as const;
    const dilations = canDilate && random.uniform() < 0.4 ? between(random, 2, 3) : 1;
    const strides = dilations > 1 ? 1 : between(random, 1, 3);
    const pad = (['valid', 'same', between(random, 0, 2)] as const)[random.below(3)] ?? 'valid';
    const args = [[...x], [...filter], strides, dilations, pad, 'floor'] as Parameters<
      typeof backend_util.computeConv2DInfo
    >;
    const { outShape } = backend_util.computeConv2DInfo(...args);
    const [, outHeight = 0, outWidth = 0] = outShape;
    if (outHeight < 1 || outWidth < 1) continue;
    const attrs = { strides: [strides, strides], pad, dilations: [dilations, dilations], dimRoundingMode: 'floor' };
    return { x, filter, outShape, attrs: { ...attrs, dataFormat: 'NHWC' } };
  }
}

const seeds = Array.from({ length: 24 }, (_, i) => i + 1);

describe.each(seeds)('on wasm as on cpu (seed %i)', (seed) => {
  test('convolutions with strides, paddings and dilations, with and without bias and relu', async () => {
    const random = rng(seed, 'forward');
    const { x, filter, attrs } = convolution(random, true);
    const inputs = { x: normal(random, ...x), filter: normal(random, ...filter) };
    await expectSame('Conv2D', inputs, attrs);
    const bias = normal(random, filter[3]);
    for (const activation of ['linear', 'relu']) {
      await expectSame('FusedConv2D', { ...inputs, bias }, { ...attrs, activation });
    }
  });

  test('gradients of convolutions', async () => {
    const random = rng(seed, 'backward');
    const { x, filter, outShape, attrs } = convolution(random, false);
    const dy = normal(random, ...outShape);
    await expectSame('Conv2DBackpropFilter', { x: normal(random, ...x), dy }, { ...attrs, filterShape: [...filter] });
    await expectSame(
      'Conv2DBackpropInput',
      { dy, filter: normal(random, ...filter) },
      { ...attrs, inputShape: [...x] },
    );
  });

  test('gradients of depthwise convolutions', async () => {
    const random = rng(seed, 'depthwise');
    const { x, filter, outShape, attrs } = convolution(random, false);
    const depth = between(random, 1, 3);
    const [h, w, channels] = filter;
    const filterShape = [h, w, channels, depth];
    const dy = normal(random, ...outShape.slice(0, 3), channels * depth);
    await expectSame('DepthwiseConv2dNativeBackpropFilter', { x: normal(random, ...x), dy }, { ...attrs, filterShape });
    await expectSame(
      'DepthwiseConv2dNativeBackpropInput',
      { dy, filter: normal(random, ...filterShape) },
      { ...attrs, inputShape: [...x] },
    );
  });

  test('gradients of pools', async () => {
    const random = rng(seed, 'pools');
    const filterSize = between(random, 1, 4);
    const x = [between(random, 1, 3), between(random, 4, 12), between(random, 4, 12), between(random, 1, 9)];
    const strides = between(random, 1, 4);
    const attrs = { filterSize, strides, pad: (['valid', 'same'] as const)[random.below(2)] };
    const input = normal(random, ...x);
    const output = await run('cpu', 'MaxPool', { x: input }, attrs);
    const dy = normal(random, ...output.shape);
    await expectSame('AvgPoolGrad', { dy, input }, attrs);
    await expectSame('MaxPoolGrad', { dy, input, output }, attrs);
  });

  test('local response normalisation and its gradient', async () => {
    const random = rng(seed, 'lrn');
    const beta = seed % 2 === 0 ? 0.75 : 0.5 + random.uniform();
    const attrs = { depthRadius: between(random, 1, 5), bias: 1 + random.uniform(), alpha: random.uniform(), beta };
    const x = normal(
      random,
      between(random, 1, 3),
      between(random, 1, 4),
      between(random, 1, 4),
      between(random, 1, 13),
    );
    await expectSame('LRN', { x }, attrs);
    const y = await run('cpu', 'LRN', { x }, attrs);
    await expectSame('LRNGrad', { x, y, dy: normal(random, ...x.shape) }, attrs);
  });

  test('matrix products, either side transposed, of any size, in stacks, with bias and relu', async () => {
    const random = rng(seed, 'products');
    // Some large enough to be cut into panels.
    const side = () => between(random, 1, seed % 4 === 0 ? 200 : 30);
    const [m, k, n, count] = [side(), side(), side(), between(random, 1, 3)];
    for (const transposeA of [false, true]) {
      for (const transposeB of [false, true]) {
        const a = normal(random, count, ...(transposeA ? [k, m] : [m, k]));
        const b = normal(random, count, ...(transposeB ? [n, k] : [k, n]));
        const attrs = { transposeA, transposeB };
        await expectSame('BatchMatMul', { a, b }, attrs);
        for (const activation of ['linear', 'relu']) {
          await expectSame('_FusedMatMul', { a, b, bias: normal(random, n) }, { ...attrs, activation });
        }
      }
    }
  });

  test('sums of segments', async () => {
    const random = rng(seed, 'segments');
    const [count, numSegments] = [between(random, 1, 20), between(random, 1, 6)];
    const x = normal(random, count, between(random, 1, 5));
    const ids = Int32Array.from({ length: count }, () => random.below(numSegments));
    await expectSame('UnsortedSegmentSum', { x, segmentIds: { values: ids, shape: [count] } }, { numSegments });
  });

  test('sums of columns and the gradient of relu are as defined', async () => {
    const random = rng(seed, 'own');
    const shape = [between(random, 1, 9), between(random, 1, 9), between(random, 1, 21)];
    const cols = shape[2] ?? 1;
    const x = normal(random, ...shape);
    const sums = new Float64Array(cols);
    for (const [i, value] of x.values.entries()) sums[i % cols] = (sums[i % cols] ?? 0) + value;
    expect(relativeDifference((await run('wasm', COLUMN_SUMS, { x }, {})).values, sums)).toBeLessThan(1e-5);
    const dy = normal(random, ...shape);
    const masked = await run('wasm', RELU_GRADIENT, { y: x, dy }, {});
    expect([...masked.values]).toEqual(Array.from(dy.values, (value, i) => ((x.values[i] ?? 0) > 0 ? value : 0)));
  });
});

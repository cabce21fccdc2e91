import '@tensorflow/tfjs-backend-cpu';
import { memory, setBackend, type Tensor, tensor4d, tidy } from '@tensorflow/tfjs-core';
import { beforeAll, expect, test } from 'vitest';
import { rng } from '../../core/math/rng.ts';
import { relativeDifference } from '../reference-for-tests.ts';
import { kernel } from './kernel.ts';
import { patchProduct } from './patch-product.ts';

beforeAll(() => setBackend('cpu'));

test.each(Array.from({ length: 20 }, (_, i) => i + 1))(
  'the filter gradient by patches is that of tfjs (seed %i)',
  async (seed) => {
    const random = rng(seed, 'patches');
    const [size, stride] = [1 + random.below(5), 1 + random.below(3)];
    const pad = random.uniform() < 0.5 ? 'same' : 'valid';
    const [height, width] = [size + random.below(9), size + random.below(9)];
    const [count, channels, filters] = [1 + random.below(4), 1 + random.below(5), 1 + random.below(7)];
    const side = (length: number) =>
      pad === 'same' ? Math.ceil(length / stride) : Math.floor((length - size) / stride) + 1;
    const normal = (...shape: [number, number, number, number]) =>
      tensor4d(
        Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => random.normal()),
        shape,
      );
    const x = normal(count, height, width, channels);
    const dy = normal(count, side(height), side(width), filters);
    const before = memory().numTensors;
    const filterShape = [size, size, channels, filters];
    const attrs = { strides: [stride, stride], pad, dataFormat: 'NHWC', filterShape };
    const [expected, found] = tidy(() => [
      kernel('Conv2DBackpropFilter', { x, dy }, attrs),
      patchProduct(x, dy, { size, filters, stride, pad }),
    ]) as [Tensor, Tensor];
    expect(found.shape).toEqual(expected.shape);
    expect(relativeDifference(await found.data(), await expected.data())).toBeLessThan(1e-5);
    for (const tensor of [expected, found]) tensor.dispose();
    expect(memory().numTensors).toBe(before);
  },
);

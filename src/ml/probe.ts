import { tidy } from '@tensorflow/tfjs-core';
import type { Schema } from '../core/math/schema.ts';
import type { BackendName } from '../models/backend.ts';
import type { DataSpec } from '../models/data.ts';
import { elements } from '../models/layer.ts';
import { gradientFlops, type Model } from '../models/model.ts';
import { tensorOf } from './kernels/kernel.ts';
import type { Network } from './network.ts';
import { readAll } from './results.ts';

/** Times one step on the current backend, in ms; null if that would take too long to be worth it. */
export type StepTimer = (name: BackendName) => Promise<number | null>;

/** Steps that take a processor longer than about a quarter of a second are not timed on it. */
const MAX_FLOPS = 4e9;
const MAX_EXAMPLES = 32;

/** Times steps of zeros: a device's speed does not depend on the numbers. */
export function stepTimer(model: Model, data: DataSpec, schema: Schema, net: Network, batchSize: number): StepTimer {
  const examples = Math.min(batchSize, MAX_EXAMPLES);
  const flops = gradientFlops(model, data.input, data.classes) * examples;
  const zeros = (shape: readonly number[]) => tensorOf(new Float32Array(elements(shape)), shape);
  const step = async () => {
    const results = tidy(() =>
      net.gradients(
        zeros([examples, ...data.input]),
        zeros([examples, data.classes]),
        schema.tensors.map(({ shape }) => zeros(shape)),
        zeros([]),
        net.dropouts.map(({ shape }) => zeros([examples, ...shape])),
      ),
    );
    try {
      await readAll(results, 'separate', () => {});
    } finally {
      for (const tensor of results) tensor.dispose();
    }
  };
  return async (name) => {
    if (name !== 'webgpu' && flops > MAX_FLOPS) return null;
    await step();
    let bestMs = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 3; i++) {
      const startMs = performance.now();
      await step();
      bestMs = Math.min(bestMs, performance.now() - startMs);
    }
    return bestMs;
  };
}

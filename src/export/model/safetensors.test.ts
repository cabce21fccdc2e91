import { describe, expect, test } from 'vitest';
import { rng } from '../../core/math/rng.ts';
import { defaultExperiment, type Experiment } from '../../experiment/experiment.ts';
import { resolveExperiment } from '../../models/plan.ts';
import { safetensors } from './safetensors.ts';

interface Entry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

/** A reader that holds a file to the format's description: aligned head, no gaps, no overlaps, nothing left over. */
function read(file: Uint8Array) {
  const headBytes = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  expect((8 + headBytes) % 8).toBe(0);
  const text = new TextDecoder('utf-8', { fatal: true }).decode(file.subarray(8, 8 + headBytes));
  expect(text).toMatch(/^\{.*\} {0,7}$/);
  const { __metadata__: metadata, ...entries } = JSON.parse(text) as Record<string, Entry>;
  for (const value of Object.values(metadata ?? {})) expect(typeof value).toBe('string');
  const data = file.subarray(8 + headBytes);
  const tensors: Record<string, { shape: readonly number[]; values: number[] }> = {};
  let at = 0;
  for (const [name, { dtype, shape, data_offsets }] of Object.entries(entries)) {
    const [from, to] = data_offsets;
    expect(dtype).toBe('F32');
    expect(from).toBe(at);
    expect(to - from).toBe(4 * shape.reduce((a, b) => a * b, 1));
    const view = new DataView(data.buffer, data.byteOffset + from, to - from);
    tensors[name] = { shape, values: Array.from({ length: (to - from) / 4 }, (_, i) => view.getFloat32(i * 4, true)) };
    at = to;
  }
  expect(at).toBe(data.length);
  return { metadata: metadata as unknown as Record<string, string>, tensors };
}

const sparse = { model: 'sparse-logistic', data: 'criteo-fake', optimizer: 'ftrl', lr: 0.1 } as const;

describe.each([1, 2, 3, 4])('random parameters, seed %i', (seed) => {
  const random = rng(seed, 'safetensors');
  const cases: readonly Partial<Experiment>[] = [
    { model: 'softmax' },
    { model: 'mlp', data: 'fake-28' },
    { model: 'lenet', emulate: '2:slow=10 *:latency=40', seed: random.below(10 ** seed) },
    { ...sparse, features: 65 + random.below(1000) },
  ];
  test.each(cases)('of %j are read back to the bit', (changes) => {
    const experiment = { ...defaultExperiment, ...changes };
    const { schema } = resolveExperiment(experiment);
    const params = Float32Array.from({ length: schema.size }, () => random.normal());
    params[0] = Number.NaN;
    params[1] = -0;
    const { metadata, tensors } = read(safetensors({ experiment, version: seed, params }));
    expect(JSON.parse(metadata.experiment ?? '')).toEqual(experiment);
    expect(metadata.version).toBe(String(seed));
    expect(Object.keys(tensors)).toEqual(schema.tensors.map(({ name }) => name));
    for (const { name, shape, offset, size } of schema.tensors) {
      expect(tensors[name]?.shape).toEqual(shape);
      expect(tensors[name]?.values).toEqual([...params.subarray(offset, offset + size)]);
    }
  });
});

test('parameters of another model are refused in words', () => {
  const wrong = { experiment: defaultExperiment, version: 1, params: new Float32Array(3) };
  expect(() => safetensors(wrong)).toThrow('the model softmax has 7850 parameters, 3 came');
});

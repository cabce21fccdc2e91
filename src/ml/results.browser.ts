import { dispose } from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { chooseBackend } from './backend.ts';
import { tensorOf } from './kernels/kernel.ts';
import { type ReadStrategy, readAll } from './results.ts';

for (const backend of ['webgpu', 'wasm', 'cpu'] as const) {
  for (const strategy of ['separate', 'joined'] as const satisfies readonly ReadStrategy[]) {
    it(`numbers come off ${backend} in order, read ${strategy}`, async () => {
      expect((await chooseBackend(backend, [])).name).toBe(backend);
      const head = tensorOf(Float32Array.of(1, 2), [2]);
      const matrix = tensorOf(Float32Array.of(3, 4, 5, 6), [2, 2]);
      const bias = tensorOf(Float32Array.of(7), [1]);
      let firsts = 0;
      const results = await readAll([head, matrix, bias], strategy, () => {
        firsts += 1;
      });
      expect([...results.head]).toEqual([1, 2]);
      expect([...results.rest]).toEqual([3, 4, 5, 6, 7]);
      expect(firsts).toBe(1);
      dispose([head, matrix, bias]);
    });
  }
}

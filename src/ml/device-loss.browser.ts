import { backend as currentBackend, getBackend } from '@tensorflow/tfjs-core';
import { afterEach, expect, test, vi } from 'vitest';
import { models } from '../models/model.ts';
import { forgetFaults } from './backend.ts';
import { DeviceError } from './device-error.ts';
import { createEngine, type Engine } from './engine.ts';
import { randomParams, relativeDifference, sample, softmaxReference } from './reference-for-tests.ts';

const seed = 3;
const some = sample(20, seed);
const indices = Uint32Array.of(1, 2, 3, 5, 8, 13);

const device = () => (currentBackend() as unknown as { device: GPUDevice }).device;
const faultOf = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => new Error('it gave a result'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof DeviceError)) throw error;
  return error.fault;
};
/** A step on the engine must give the textbook's gradient. */
async function expectRight(engine: Engine) {
  const params = randomParams(engine.schema.size, seed);
  const batch = engine.stage(some.images, some.labels, indices);
  const { gradient } = await engine.gradient(params, batch);
  batch.dispose();
  expect(relativeDifference(gradient, softmaxReference(params, some, indices).gradient)).toBeLessThan(1e-4);
}

afterEach(() => {
  vi.restoreAllMocks();
  forgetFaults();
});

test('a device lost in mid-step gives no gradient; made anew it computes, lost again it is left for WebAssembly', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const first = await createEngine(models.softmax, some.data, 'webgpu');
  await expectRight(first);
  const params = randomParams(first.schema.size, seed);
  const batch = first.stage(some.images, some.labels, indices);
  const step = first.gradient(params, batch);
  device().destroy();
  expect(await faultOf(step)).toBe('lost');
  expect(await faultOf(first.gradient(params, batch))).toBe('lost');
  expect(await faultOf(first.evaluate(params, some.images, some.labels))).toBe('lost');
  batch.dispose();
  first.close();

  const second = await createEngine(models.softmax, some.data, 'webgpu');
  expect(second.backend).toEqual({ name: 'webgpu', why: 'WebGPU: started again after its device was lost' });
  await expectRight(second);
  device().destroy();
  const other = second.stage(some.images, some.labels, indices);
  expect(await faultOf(second.gradient(params, other))).toBe('lost');
  other.dispose();
  second.close();

  const third = await createEngine(models.softmax, some.data, 'webgpu');
  expect(third.backend).toEqual({ name: 'wasm', why: 'WebAssembly: WebGPU lost its device 2 times' });
  expect(getBackend()).toBe('wasm');
  await expectRight(third);
  third.close();
});

test('an error of the GPU that no exception tells of fails the step', async () => {
  const engine = await createEngine(models.softmax, some.data, 'webgpu');
  const batch = engine.stage(some.images, some.labels, indices);
  const params = randomParams(engine.schema.size, seed);
  // Beyond any limit: WebGPU answers with an event.
  device().createBuffer({ size: 2 ** 50, usage: GPUBufferUsage.STORAGE });
  const { promise, resolve } = Promise.withResolvers<void>();
  device().addEventListener('uncapturederror', () => resolve(), { once: true });
  await promise;
  expect(['memory', 'unsupported']).toContain(await faultOf(engine.gradient(params, batch)));
  batch.dispose();
  engine.close();
  const next = await createEngine(models.softmax, some.data, 'webgpu');
  expect(next.backend.name).toBe('wasm');
  expect(next.backend.why).toMatch(/^WebAssembly: WebGPU failed: the graphics processor/);
  next.close();
});

test('a WebAssembly memory that is full fails the step and the staging of the next', async () => {
  const engine = await createEngine(models.softmax, some.data, 'wasm');
  const batch = engine.stage(some.images, some.labels, indices);
  const { wasm } = currentBackend() as unknown as { wasm: { asm: { malloc(bytes: number): number } } };
  const params = randomParams(engine.schema.size, seed);
  const full = { ...wasm.asm, malloc: () => 0 };
  const { asm } = wasm;
  wasm.asm = full;
  expect(await faultOf(engine.gradient(params, batch))).toBe('memory');
  const stage = async () => engine.stage(some.images, some.labels, indices);
  expect(await faultOf(stage())).toBe('memory');
  wasm.asm = asm;
  batch.dispose();
  engine.close();
});

test('a loss that is no number is an error, and no fault of the device', async () => {
  const engine = await createEngine(models.softmax, some.data, 'wasm');
  const batch = engine.stage(some.images, some.labels, indices);
  expect(await faultOf(engine.gradient(new Float32Array(engine.schema.size).fill(Number.NaN), batch))).toBe(
    'non-finite',
  );
  batch.dispose();
  engine.close();
  const again = await createEngine(models.softmax, some.data, 'wasm');
  expect(again.backend).toEqual({ name: 'wasm', why: 'WebAssembly: as asked' });
  await expectRight(again);
  again.close();
});

test('left the choice, it times a step on each backend and says what it found', async () => {
  const real = navigator.gpu.requestAdapter.bind(navigator.gpu);
  vi.spyOn(navigator.gpu, 'requestAdapter').mockImplementation(async (options) => {
    const adapter = await real(options);
    // Passed off as a real graphics processor.
    if (adapter !== null) Object.defineProperty(adapter, 'info', { value: { vendor: 'some', architecture: 'gpu' } });
    return adapter;
  });
  const startMs = performance.now();
  const engine = await createEngine(models.lenet, some.data, 'auto', { batch: 8 });
  expect(performance.now() - startMs).toBeLessThan(20_000);
  expect(engine.backend.name).toBe('wasm');
  expect(engine.backend.why).toMatch(/^WebAssembly: a step takes WebGPU \d+ ms, WebAssembly [\d.]+ ms$/);
  engine.close();
});

import { afterEach, expect, test, vi } from 'vitest';
import { chooseBackend } from './backend.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('a software WebGPU is used when asked for, and not otherwise', async () => {
  expect(await chooseBackend('auto', ['Add'])).toEqual({
    name: 'wasm',
    why: "WebAssembly: this device's WebGPU is a software emulation, which is slower",
  });
  expect(await chooseBackend('webgpu', ['Add'])).toEqual({ name: 'webgpu', why: 'WebGPU: as asked' });
});

test('a device without an adapter falls back and says so', async () => {
  vi.spyOn(navigator.gpu, 'requestAdapter').mockResolvedValue(null);
  expect(await chooseBackend('webgpu', ['Add'])).toEqual({
    name: 'wasm',
    why: 'WebAssembly: WebGPU found no graphics processor',
  });
});

test('a page without HTTPS is told that WebGPU needs it', async () => {
  vi.spyOn(globalThis, 'isSecureContext', 'get').mockReturnValue(false);
  expect((await chooseBackend('auto', ['Add'])).why).toBe('WebAssembly: WebGPU needs HTTPS');
});

test('a model that wasm cannot train goes to plain JavaScript', async () => {
  const { name, why } = await chooseBackend('wasm', ['Add', 'FFT']);
  expect(name).toBe('cpu');
  expect(why).toBe('plain JavaScript: WebAssembly cannot train this model (no FFT)');
});

test('a model that nothing can train is refused with what is missing', async () => {
  await expect(chooseBackend('auto', ['NoSuchKernel'])).rejects.toThrow(/nothing on this device.*no NoSuchKernel/);
});

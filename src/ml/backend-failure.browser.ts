import { afterEach, expect, test, vi } from 'vitest';
import { chooseBackend } from './backend.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

// In a file of its own: what tfjs has once loaded in a page stays loaded.
test('a .wasm file that does not load leads to plain JavaScript, and says so', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const realFetch = globalThis.fetch;
  vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) =>
    String(input).includes('.wasm') ? Promise.resolve(new Response('', { status: 404 })) : realFetch(input, init),
  );
  const { name, why } = await chooseBackend('wasm', ['Add']);
  expect(name).toBe('cpu');
  expect(why).toBe('plain JavaScript: WebAssembly did not start');
});

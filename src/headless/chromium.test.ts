import { existsSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { chromiumArgs, ensureChromium, findChromium } from './chromium.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('MANYHANDS_CHROMIUM is taken before anything installed', async () => {
  vi.stubEnv('MANYHANDS_CHROMIUM', process.execPath);
  expect(await findChromium()).toBe(process.execPath);
});

test('a MANYHANDS_CHROMIUM that is no program is an error, and nothing is installed instead', async () => {
  vi.stubEnv('MANYHANDS_CHROMIUM', '/nowhere/chromium');
  const log = vi.fn();
  await expect(ensureChromium(log)).rejects.toThrow('/nowhere/chromium');
  expect(log).not.toHaveBeenCalled();
});

test('what is found is there', async () => {
  vi.stubEnv('MANYHANDS_CHROMIUM', '');
  const path = await findChromium().catch((error: Error) => error);
  if (typeof path === 'string') expect(existsSync(path)).toBe(true);
  else expect(path.message).toContain('MANYHANDS_CHROMIUM');
});

test('the sandbox is off only for root, who cannot have it, and WebGPU is emulated only on request', () => {
  expect(chromiumArgs().includes('--no-sandbox')).toBe(process.getuid?.() === 0);
  expect(chromiumArgs()).not.toContain('--use-webgpu-adapter=swiftshader');
  expect(chromiumArgs({ webgpu: 'swiftshader' })).toContain('--use-webgpu-adapter=swiftshader');
});

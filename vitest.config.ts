import { playwright } from '@vitest/browser-playwright';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { chromiumArgs, findChromium } from './src/headless/chromium.ts';

const tensors = ['core', 'backend-cpu', 'backend-wasm', 'backend-webgpu'].map((part) => `@tensorflow/tfjs-${part}`);
const preact = ['preact', 'preact/hooks', 'preact/jsx-runtime', 'preact/jsx-dev-runtime', '@preact/signals'];
const hashes = ['hmac', 'sha2', 'utils'].map((part) => `@noble/hashes/${part}.js`);
const packages = [
  ...tensors,
  ...preact,
  ...hashes,
  'idb',
  'uplot',
  'uqr',
  'zod/mini',
  'fflate',
  '@tensorflow/tfjs-converter',
];

/** On a busy machine what comes soon can take seconds. */
const patient = { poll: { timeout: 10_000 } };

export default defineConfig(async (): Promise<ViteUserConfig> => {
  // Without a browser the unit project still runs; the browser project then says what is missing.
  const executablePath = await findChromium().catch(() => undefined);
  const launchOptions = { executablePath, args: chromiumArgs({ webgpu: 'swiftshader' }) };
  return {
    test: {
      projects: [
        {
          test: {
            name: 'unit',
            environment: 'node',
            include: ['{src,bench}/**/*.test.ts'],
            testTimeout: 30_000,
            expect: patient,
          },
        },
        {
          // Found only when a test imports them, they would be bundled then and reload the page under that test.
          optimizeDeps: { include: packages, entries: ['src/**/*.browser.ts', 'worker-scripts/*.ts'] },
          oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
          test: {
            name: 'browser',
            include: ['src/**/*.browser.ts'],
            globalSetup: ['src/relay/signalling-for-tests.ts', 'src/node/link/pipe-for-tests.ts'],
            // The first use of SwiftShader compiles shaders for seconds.
            testTimeout: 60_000,
            hookTimeout: 60_000,
            expect: patient,
            // Two files at once on a small machine make every deadline in them a matter of luck.
            fileParallelism: false,
            browser: {
              enabled: true,
              headless: true,
              screenshotFailures: false,
              provider: playwright({ launchOptions }),
              instances: [{ browser: 'chromium' }],
            },
          },
        },
      ],
    },
  };
});

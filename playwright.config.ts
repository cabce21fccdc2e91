import { defineConfig } from '@playwright/test';
import { chromiumArgs, findChromium } from './src/headless/chromium.ts';

export default defineConfig({
  testDir: 'e2e',
  testMatch: '*.spec.ts',
  // Tests measure and train: two at once would slow each other down.
  workers: 1,
  retries: 0,
  timeout: 120_000,
  expect: { timeout: 15_000 },
  forbidOnly: process.env.CI !== undefined,
  use: {
    actionTimeout: 15_000,
    launchOptions: { executablePath: await findChromium(), args: chromiumArgs() },
  },
});

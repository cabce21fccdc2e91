import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { nodeThread, threadFolder, threadScript } from './thread.ts';

const PATH = 'worker-scripts/node-server.ts';

function appFolder(): string {
  const app = mkdtempSync(join(tmpdir(), 'manyhands-app-'));
  onTestFinished(() => rmSync(app, { recursive: true }));
  return app;
}

test('a thread is the TypeScript itself where the app has none that are bundled', () => {
  expect(threadScript(appFolder(), PATH).href).toBe(
    new URL('../../worker-scripts/node-server.ts', import.meta.url).href,
  );
});

test('a bundled thread runs as it is: no loader of TypeScript, and its own data', async () => {
  const app = appFolder();
  mkdirSync(threadFolder(app));
  const file = join(threadFolder(app), 'node-server.js');
  const body = `import { parentPort, workerData, resourceLimits } from 'node:worker_threads';
    const isPlain = await import('./no.ts').then(() => false, (error) => error.code === 'ERR_UNKNOWN_FILE_EXTENSION');
    parentPort.postMessage({ workerData, isPlain, youngMb: resourceLimits.maxYoungGenerationSizeMb });`;
  writeFileSync(file, body);
  writeFileSync(join(threadFolder(app), 'no.ts'), 'export {};');
  writeFileSync(join(threadFolder(app), 'package.json'), '{ "type": "module" }');
  const script = threadScript(app, PATH);
  expect(fileURLToPath(script)).toBe(file);
  const told = await new Promise((resolve, reject) => {
    nodeThread(script, { checkpoints: 'here' })({ onMessage: resolve, onError: (text) => reject(new Error(text)) });
  });
  expect(told).toEqual({ workerData: { checkpoints: 'here' }, isPlain: true, youngMb: 12 });
});

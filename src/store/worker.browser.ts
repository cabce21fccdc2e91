import { expect, test } from 'vitest';
import { dropCheckpoint, latestCheckpoint } from './checkpoints.ts';

test('a dedicated worker saves what its page reads', async () => {
  const module = new URL('./checkpoints.ts', import.meta.url).href;
  const script = `
    const { saveCheckpoint } = await import(${JSON.stringify(module)});
    await saveCheckpoint('from a worker', Uint8Array.of(1, 2, 3), { version: 4 });
    postMessage('saved');`;
  const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  const worker = new Worker(url, { type: 'module' });
  try {
    await new Promise((resolve, reject) => {
      worker.onmessage = resolve;
      worker.onerror = (event) => reject(new Error(event.message));
    });
    expect(await latestCheckpoint('from a worker')).toMatchObject({
      bytes: Uint8Array.of(1, 2, 3),
      meta: { version: 4 },
    });
  } finally {
    worker.terminate();
    URL.revokeObjectURL(url);
    await dropCheckpoint('from a worker');
  }
});

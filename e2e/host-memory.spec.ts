import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../src/node/build.ts';
import { readJournal } from '../src/node/files/run-journal.ts';
import { processUse } from '../src/node/proc/process.ts';
import { expect, test } from './fixtures.ts';

/** 215–230 MB were measured; 350 with threads that read TypeScript by themselves, 850 with a bundler in the process. */
const MOST_BYTES = 280e6;

test('a host in Node that has looked at its test set and waits for workers takes at most 280 MB', async () => {
  test.skip(process.platform !== 'linux', 'only Linux tells');
  const folder = await mkdtemp(join(tmpdir(), 'manyhands-memory-'));
  const place = ['--address', '127.0.0.1', '--port', '0', '--data-dir', folder];
  const program = ['--import', 'tsx', join(root, 'src/cli/cli.ts'), 'serve', '--host', '--model', 'softmax', ...place];
  const child = spawn(process.execPath, program, { cwd: root, stdio: 'ignore' });
  try {
    const isTested = async () => {
      const names = await readdir(join(folder, 'runs')).catch(() => []);
      const logs = names.map((name) => readJournal(join(folder, 'runs', name)));
      return logs.flat().some(({ event }) => event === 'evaluation');
    };
    await expect.poll(isTested, { timeout: 60_000 }).toBe(true);
    expect(processUse(child.pid ?? 0)?.memoryBytes).toBeLessThan(MOST_BYTES);
  } finally {
    child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
});

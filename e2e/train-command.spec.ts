import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../src/node/build.ts';
import { expect, test } from './fixtures.ts';

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line as `npm run train --` would. */
const train = (...args: string[]): Promise<Outcome> =>
  new Promise((resolve) => {
    const program = [join(root, 'node_modules/tsx/dist/cli.mjs'), join(root, 'src/cli/cli.ts'), 'train', ...args];
    execFile(process.execPath, program, { cwd: root }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr });
    });
  });

test('the train command trains in real tabs, writes its report and exits with 0', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'manyhands-e2e-'));
  const json = join(folder, 'out.json');
  const options = '--strategy async --workers 1 --batch 100 --max-steps 60 --eval-every 20 --backend wasm --seed 7';
  const { code, stdout } = await train(...options.split(' '), '--json', json);
  expect(code).toBe(0);
  expect(stdout).toContain('60 in');
  const report: unknown = JSON.parse(await readFile(json, 'utf8'));
  await rm(folder, { recursive: true });
  const aNumber: unknown = expect.any(Number);
  const phases = { waitMs: aNumber, transferMs: aNumber, decodeMs: aNumber, computeMs: aNumber, readMs: aNumber };
  const bytes = { control: aNumber, parameters: aNumber, gradients: aNumber, total: aNumber };
  expect(report).toMatchObject({
    failure: null,
    problems: [],
    experiment: { strategy: 'async', workers: 1, batch: 100, maxSteps: 60, evalEvery: 20, seed: 7 },
    phase: 'finished',
    stopReason: 'steps',
    steps: 60,
    examples: 6000,
    wallSeconds: aNumber,
    testLoss: aNumber,
    testAccuracy: aNumber,
    workers: [
      {
        backend: 'wasm',
        steps: 60,
        applied: 60,
        stale: 0,
        rejected: 0,
        examples: 6000,
        phases: { ...phases, encodeMs: aNumber, sendMs: aNumber },
        staleness: { mean: 0, max: 0 },
        bytesUp: bytes,
        bytesDown: bytes,
        transport: { bytesSent: aNumber, bytesReceived: aNumber, unaccountedBytes: aNumber },
      },
    ],
    server: { updates: 60, applied: 60, stale: 0, rejected: 0 },
  });
  // The browser's counters and ours are not read at the same instant: a few control messages may lie between.
  const [worker] = (report as { workers: { transport: { unaccountedBytes: number } }[] }).workers;
  expect(Math.abs(worker?.transport.unaccountedBytes ?? Number.NaN)).toBeLessThan(2000);
  const { series } = report as { series: { train: unknown[]; test: { step: number; accuracy: number }[] } };
  expect(series.train).toHaveLength(60);
  expect(series.test.map(({ step }) => step)).toEqual([0, 20, 40, 60]);
  expect(series.test.at(-1)?.accuracy).toBeGreaterThan(0.7);
});

test('the train command answers a mistake with one line and exit code 2', async () => {
  for (const mistake of [['--workers', 'three'], ['--strategy', 'telepathy'], ['--no-such-option']]) {
    const { code, stdout, stderr } = await train(...mistake);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr.trim().split('\n')).toHaveLength(1);
  }
});

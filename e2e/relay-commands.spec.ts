import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../src/node/build.ts';
import type { RunReport } from '../src/observe/run-report.ts';
import { expect, test } from './fixtures.ts';
import { checkpointsIn, RelayProcess } from './relay-process.ts';

const program = join(root, 'bin/manyhands.js');

const run = (...args: string[]): Promise<{ code: number; stderr: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { cwd: root }, (error, _stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stderr });
    });
  });

test('the train command gives the same losses with the parameter server in this process as in a tab', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'manyhands-e2e-'));
  const options = '--workers 2 --batch 100 --max-steps 60 --eval-every 20 --backend wasm --seed 7';
  const reports: RunReport[] = [];
  for (const host of ['relay', 'tab']) {
    const json = join(folder, `${host}.json`);
    const { code, stderr } = await run('train', '--host', host, ...options.split(' '), '--json', json);
    expect(code, stderr).toBe(0);
    reports.push(JSON.parse(await readFile(json, 'utf8')) as RunReport);
  }
  await rm(folder, { recursive: true });
  const [relay, tab] = reports.map(({ series }) => series.test.map(({ step, loss }) => ({ step, loss })));
  expect(relay?.map(({ step }) => step)).toEqual([0, 20, 40, 60]);
  for (const [index, { loss }] of (relay ?? []).entries()) expect(loss).toBeCloseTo(tab?.[index]?.loss ?? -1, 5);
  // Node's counters and ours are not read at the same instant.
  for (const { transport } of reports[0]?.workers ?? []) {
    expect(Math.abs(transport?.unaccountedBytes ?? Number.NaN)).toBeLessThan(2000);
  }
});

test('a host without a tab trains with a worker from a terminal, stops in good order and keeps its run', async () => {
  test.setTimeout(120_000);
  const folder = await mkdtemp(join(tmpdir(), 'manyhands-e2e-'));
  const relay = new RelayProcess(folder, 0, ['--minutes', '60', '--eval-every', '50', '--backend', 'wasm']);
  const { url, hash } = await relay.link();
  const worker = spawn(process.execPath, [program, 'worker', `${url}#${hash}`, '--name', 'Shell', '--backend', 'wasm']);
  let words = '';
  worker.stderr.setEncoding('utf8').on('data', (text: string) => {
    words += text;
  });
  const has = (event: string) => relay.journal().some((entry) => entry.event === event);
  await expect.poll(() => has('checkpoint') && has('evaluation'), { timeout: 60_000 }).toBe(true);
  expect(relay.journal()).toContainEqual(expect.objectContaining({ event: 'joined', name: 'Shell' }));

  await expect.poll(() => words, { timeout: 20_000 }).toMatch(/Shell · .*steps, .*examples/);

  const left = new Promise((resolve) => worker.once('exit', resolve));
  worker.kill('SIGINT');
  expect(await left, words).toBe(0);
  await expect.poll(() => has('left'), { timeout: 10_000 }).toBe(true);

  const { code, tookMs } = await relay.stop();
  expect(code, relay.output).toBe(0);
  expect(tookMs).toBeLessThan(5000);
  const [saved] = await checkpointsIn(folder);
  expect(relay.journal().at(-1)).toMatchObject({ event: 'stopping', version: saved?.version });

  const again = await run('serve', '--host', '--data-dir', folder, '--address', '127.0.0.1', '--port', '0');
  expect(again.code).toBe(2);
  expect(again.stderr).toContain(`at step ${saved?.version}): add --resume`);
  await rm(folder, { recursive: true });
});

test('a run that a relay finished leaves its log, report and model in its folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'manyhands-e2e-'));
  const place = ['--address', '127.0.0.1', '--port', '0', '--data-dir', folder];
  const what = ['--strategy', 'single', '--max-steps', '40', '--backend', 'wasm'];
  const { code, stderr } = await run('serve', '--host', ...place, ...what);
  expect(code, stderr).toBe(0);
  const [id = ''] = (await readdir(join(folder, 'runs'))).filter((name) => !name.endsWith('.jsonl'));
  const report = JSON.parse(await readFile(join(folder, 'runs', id, 'run.json'), 'utf8')) as RunReport;
  expect(report).toMatchObject({ id, steps: 40, phase: 'finished' });
  const weights = await readFile(join(folder, 'runs', id, 'model/model.safetensors'));
  expect(weights.length - 8 - Number(weights.readBigUInt64LE(0))).toBe(4 * 7850);
  await rm(folder, { recursive: true });
});

test('mistakes on the command line are answered in one line with exit code 2', async () => {
  const mistakes = [
    ['worker'],
    ['worker', 'nonsense'],
    ['worker', 'http://x/'],
    ['serve', '--host', '--lr', 'x'],
    ['fly'],
  ];
  for (const mistake of mistakes) {
    const { code, stderr } = await run(...mistake);
    expect(code, mistake.join(' ')).toBe(2);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  }
});

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../src/node/build.ts';
import { expect, test } from './fixtures.ts';

/** The command line as a process of its own that can be interrupted. */
class Program {
  readonly #child: ChildProcess;
  readonly code: Promise<number | null>;
  output = '';

  constructor(...args: string[]) {
    this.#child = spawn(process.execPath, ['--import', 'tsx', join(root, 'src/cli/cli.ts'), ...args], { cwd: root });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
      });
    }
    this.code = new Promise((resolve) => this.#child.once('close', resolve));
  }

  async says(words: string): Promise<void> {
    await expect.poll(() => this.output, { timeout: 60_000, intervals: [50] }).toContain(words);
  }

  interrupt(): void {
    this.#child.kill('SIGINT');
  }
}

let folder = '';
test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'manyhands-lab-'));
});
test.afterEach(() => rm(folder, { recursive: true }));

const base = { model: 'softmax', data: 'fake-28', strategy: 'async', workers: 1, maxSteps: 30, evalEvery: 10 };
async function sweepFile(name: string, fields: object): Promise<string> {
  const path = join(folder, `${name}.json`);
  await writeFile(path, JSON.stringify({ name, base, ...fields }));
  return path;
}

test('a sweep that is interrupted goes on where it was, and its folder is not mixed with another', async () => {
  const out = join(folder, 'out');
  const sweep = await sweepFile('tiny', { vary: { batch: [10, 20] } });
  const first = new Program('lab', sweep, '--out', out, '--backend', 'wasm');
  await first.says('01-batch-10: 30 steps');
  first.interrupt();
  expect(await first.code).toBe(130);
  expect(first.output).toContain('1 of 2 runs are still to be done');
  expect(await readdir(join(out, 'runs'))).toEqual(['01-batch-10']);
  expect(await readFile(join(out, 'report.md'), 'utf8')).toContain('batch 20');
  const done = await readFile(join(out, 'runs/01-batch-10/run.json'), 'utf8');

  const second = new Program('lab', sweep, '--out', out, '--backend', 'wasm');
  expect(await second.code, second.output).toBe(0);
  expect(second.output).toContain('1 of the runs are there already');
  expect(second.output).not.toContain('01-batch-10: ');
  expect(second.output).toContain('02-batch-20: 30 steps');
  expect(await readFile(join(out, 'runs/01-batch-10/run.json'), 'utf8')).toBe(done);
  expect((await readdir(out)).sort()).toEqual(['charts', 'report.html', 'report.md', 'runs', 'sweep.json', 'tables']);
  const names = await readdir(join(out, 'runs/02-batch-20'), { recursive: true });
  for (const name of ['README.md', 'run.json', 'log.jsonl', 'model/model.safetensors', 'outcome.json']) {
    expect(names).toContain(name);
  }
  const report: unknown = JSON.parse(await readFile(join(out, 'runs/02-batch-20/run.json'), 'utf8'));
  const anArray: unknown = expect.any(Array);
  expect(report).toMatchObject({ steps: 30, experiment: { batch: 20 }, profile: { batch: 20, operators: anArray } });
  const html = await readFile(join(out, 'report.html'), 'utf8');
  for (const words of ['batch 10', 'batch 20', 'npm run lab -- ']) expect(html).toContain(words);

  const other = await sweepFile('other', {});
  const third = new Program('lab', other, '--out', out);
  expect(await third.code).toBe(2);
  expect(third.output).toContain('has the sweep tiny, not other: choose another folder with --out');
});

test('a bad file is refused with the place of its mistake', async () => {
  const program = new Program(
    'lab',
    await sweepFile('bad', { vary: { batch: [1, 2, 0] } }),
    '--out',
    join(folder, 'out'),
  );
  expect(await program.code).toBe(2);
  expect(program.output.trim()).toBe(
    `manyhands: ${join(folder, 'bad.json')}: vary.batch[2] must be a whole number from 1 to 60,000`,
  );
});

test('the train command makes the folder of one run', async () => {
  const out = join(folder, 'new/run');
  const options = '--data fake-28 --strategy single --max-steps 20 --eval-every 10 --backend wasm --out';
  const program = new Program('train', ...options.split(' '), out);
  expect(await program.code, program.output).toBe(0);
  const names = await readdir(out, { recursive: true });
  for (const name of ['README.md', 'run.json', 'model/model.safetensors', 'operators.csv'])
    expect(names).toContain(name);
  const again = new Program('train', ...options.split(' '), out);
  expect(await again.code).toBe(2);
  expect(again.output).toContain('is there already');
});

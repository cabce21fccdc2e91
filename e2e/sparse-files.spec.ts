import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rng } from '../src/core/math/rng.ts';
import { SparseBatchBuilder } from '../src/core/sparse/batch.ts';
import { CriteoFake } from '../src/data/sparse/criteo-fake.ts';
import { exampleProto, plainExamples, tfRecord } from '../src/data/sparse/files-for-tests.ts';
import { root } from '../src/node/build.ts';
import { expect, test } from './fixtures.ts';
import { button, curvesOf, waitForHost, waitForPhase } from './verbs.ts';

const FEATURES = 5000;
let folder = '';

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'manyhands-e2e-'));
  await writeFile(join(folder, 'clicks.tfrecord.gz'), gzipSync(records(1500)));
  await writeFile(join(folder, 'clicks.tsv'), lines(4000));
});
test.afterAll(() => rm(folder, { recursive: true, force: true }));

/** Generated clicks, as TensorFlow would have written them. */
function records(count: number): Uint8Array {
  const batch = new SparseBatchBuilder();
  new CriteoFake({ features: FEATURES, seed: 1 }).fill(batch, 'train', 0, count);
  return Buffer.concat(
    plainExamples(batch).map(({ keys, values, label }) =>
      tfRecord(exampleProto({ label: { int64: [label] }, index: { int64: keys }, value: { float: values } })),
    ),
  );
}

/** Clicks as Criteo has them, about every other one said by the first category; two lines are malformed. */
function lines(count: number): string {
  const random = rng(3);
  const hex = () => (random.below(40) * 0x9e3779b).toString(16).slice(0, 8);
  const texts = Array.from({ length: count }, () => {
    const label = random.below(2);
    const numbers = Array.from({ length: 13 }, () => (random.below(4) === 0 ? '' : String(random.below(50))));
    const first = random.below(5) === 0 ? hex() : `a${label}`;
    return [label, ...numbers, first, ...Array.from({ length: 25 }, hex)].join('\t');
  });
  return `${texts
    .toSpliced(10, 0, '1\t2\t3')
    .toSpliced(20, 0, texts[0]?.replace(/^./, '7') ?? '')
    .join('\r\n')}\r\n`;
}

interface Report {
  readonly failure: string | null;
  readonly testLoss: number;
  readonly testAccuracy: number;
  readonly workers: readonly { readonly bytesDown: { readonly data: number } }[];
}

/** Runs the command line as `npm run train --` would. */
async function train(file: string, ...options: string[]): Promise<{ readonly report: Report; readonly said: string }> {
  const json = join(folder, `${options.join('').replaceAll(/\W/g, '')}.json`);
  const fixed = `--features ${FEATURES} --batch 50 --max-steps 40 --eval-every 20 --lr 0.3 --json ${json}`;
  const program = ['--import', 'tsx', join(root, 'src/cli/cli.ts'), 'train', '--data', join(folder, file)];
  const said = await new Promise<string>((resolve) => {
    execFile(process.execPath, [...program, ...fixed.split(' '), ...options], { cwd: root }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
  return { report: JSON.parse(await readFile(json, 'utf8')) as Report, said };
}

test('train --data trains on a packed file of records, the same with its host in a tab and in this process', async () => {
  const runs = [
    await train('clicks.tfrecord.gz', '--host', 'tab'),
    await train('clicks.tfrecord.gz', '--host', 'relay'),
  ];
  for (const { report, said } of runs) {
    expect(report.failure, said).toBeNull();
    expect(said).toContain('clicks.tfrecord.gz: 1,350 examples to train on, 150 for testing, nothing was skipped.');
    expect(report.testAccuracy).toBeGreaterThan(0.65);
    // 41 leases of 50 examples, or a few more that were asked for in advance.
    const perExample = (report.workers[0]?.bytesDown.data ?? 0) / (41 * 50);
    console.log(`${perExample.toFixed(0)} bytes per example`);
    expect(perExample).toBeLessThan(200);
    expect(perExample).toBeGreaterThan(50);
  }
  expect(runs[0]?.report.testLoss).toBe(runs[1]?.report.testLoss);
});

test('train --data says which lines of click logs it skipped, and that a limit was passed', async () => {
  const { report, said } = await train('clicks.tsv', '--workers', '2', '--host', 'relay');
  expect(report.failure, said).toBeNull();
  expect(said).toContain('clicks.tsv: 3,600 examples to train on, 400 for testing, 2 malformed and skipped.');
  expect(said).toContain('line 11: expected 40 columns with tabs between, got 3');
  expect(said).toContain('line 21: the label is “7”, not 0 or 1');
  expect(report.testAccuracy).toBeGreaterThan(0.7);
  const refused = await train('clicks.tsv', '--malformed', '1');
  expect(refused.report.failure).toContain('2 malformed lines by line 21, 1 are allowed');
});

test('the host page reads a chosen file, shows what it skipped, and a tab elsewhere trains on it', async ({ tabs }) => {
  const experiment = {
    ...{ model: 'sparse-logistic', data: 'file', features: FEATURES, batch: 50, lr: 0.3 },
    ...{ maxSteps: 40, evalEvery: 20, epochs: null },
  };
  const host = await tabs.openHost({ experiment });
  const { page } = host;
  await page.getByRole('checkbox', { name: /train/i }).first().uncheck();
  await page.getByLabel('File', { exact: true }).setInputFiles(join(folder, 'clicks.tsv'));
  const found = page.getByRole('status').filter({ hasText: 'clicks.tsv' });
  await expect(found).toContainText('3,600 examples to train on, 400 for testing, 2 malformed and skipped.');
  await expect(found).toContainText('line 21: the label is “7”, not 0 or 1');
  await button(page, 'Start').click();
  await waitForHost(host, 'the run', ({ run }) => run);
  await tabs.contribute(host, 1);
  await waitForPhase(host, 'finished');
  const { test: looks } = await curvesOf(host);
  expect(looks.at(-1)?.accuracy).toBeGreaterThan(0.7);
  const { state } = await host.view();
  expect(state.run?.experiment).toMatchObject({ data: 'file', examples: 3600, entries: 39 });
  expect(tabs.problems).toEqual([]);
});

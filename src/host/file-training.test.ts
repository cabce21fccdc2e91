import { afterEach, describe, expect, it } from 'vitest';
import { rng } from '../core/math/rng.ts';
import { SparseBatchBuilder } from '../core/sparse/batch.ts';
import { sigmoid } from '../core/sparse/logistic.ts';
import { blobSource } from '../data/sparse/byte-source.ts';
import { openExamples } from '../data/sparse/file-examples.ts';
import { unpackToBlob } from '../data/sparse/unpacked-blob.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { sparseCompute } from '../worker/sparse-compute.ts';
import { Cluster, memoryStore } from './cluster-for-tests.ts';
import type { ExampleSource } from './example-server.ts';

const FEATURES = 300;
const shape: Partial<Experiment> = {
  model: 'sparse-logistic',
  data: 'file',
  features: FEATURES,
  strategy: 'sync',
  batch: 50,
  lr: 0.4,
  maxSteps: 60,
  evalEvery: 1_000_000,
};

/** Lines whose label follows from the first key. */
function lines(count: number, seed: number): string[] {
  const random = rng(seed);
  return Array.from({ length: count }, () => {
    const keys = Array.from({ length: 1 + random.below(12) }, () => 1 + random.below(FEATURES));
    const label = (keys[0] ?? 0) % 2;
    return [label, ...keys.map((key) => `${key}:${random.below(3) === 0 ? random.normal().toFixed(3) : 1}`)].join(' ');
  });
}

const fileOf = (texts: readonly string[], name = 'clicks.svm') =>
  new File([texts.join('\n')], name, { lastModified: 1 });
const sourceOf = (file: File, features = FEATURES): ExampleSource => {
  return { kind: 'file', file, name: file.name, format: 'libsvm', malformedLimit: 2, firstIndex: 1, features };
};

const clusters: Cluster[] = [];
const cluster = (experiment: Partial<Experiment>, workers: number, store = memoryStore()) => {
  const made = new Cluster({ ...shape, workers, ...experiment }, store);
  clusters.push(made);
  for (let i = 0; i < workers; i++) made.addWorker({ compute: sparseCompute() });
  return made;
};
const trained = async (file: File, experiment: Partial<Experiment> = {}, workers = 2) => {
  const made = cluster(experiment, workers);
  made.tell({ type: 'examples', source: sourceOf(file) });
  made.start();
  await made.until(({ run }) => run?.phase === 'finished');
  return made;
};
const maxDifference = (a: Float32Array, b: Float32Array) =>
  a.length === b.length
    ? a.reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] as number))), 0)
    : Infinity;

afterEach(() => {
  for (const made of clusters.splice(0)) made.close();
});

/** Plain logistic regression on the same stream of examples. */
async function reference(
  file: File,
  seed: number,
  batchSize: number,
  steps: number,
  lr: number,
): Promise<Float32Array> {
  const settings = { format: 'libsvm', features: FEATURES, malformedLimit: 2 } as const;
  const examples = await openExamples(blobSource(file, file.name), {
    ...settings,
    unpack: unpackToBlob,
    onProgress() {},
  });
  const weights = new Float32Array(FEATURES + 1);
  for (let step = 0; step < steps; step++) {
    const batch = new SparseBatchBuilder();
    await examples.train(batch, seed, step * batchSize, batchSize);
    const gradient = new Float64Array(FEATURES + 1);
    for (let i = 0; i < batch.count; i++) {
      const [from, to] = [batch.offsets[i] as number, batch.offsets[i + 1] as number];
      const entries = Array.from({ length: to - from }, (_, j) => ({
        key: batch.keys[from + j] as number,
        value: batch.values[from + j] as number,
      }));
      const all = [...entries, { key: FEATURES, value: 1 }];
      const score = all.reduce((sum, { key, value }) => sum + (weights[key] as number) * value, 0);
      const error = (sigmoid(score) - (batch.labels[i] as number)) / batch.count;
      for (const { key, value } of all) gradient[key] = (gradient[key] as number) + error * value;
    }
    for (let key = 0; key <= FEATURES; key++) weights[key] = (weights[key] as number) - lr * (gradient[key] as number);
  }
  return weights;
}

describe('training on a file that only the host has', { timeout: 60_000 }, () => {
  it('2 workers × batch 50 give the parameters of plain logistic regression on the same stream, keyed or whole (D2)', async () => {
    const file = fileOf(lines(2500, 1));
    const [keyed, whole] = await Promise.all([trained(file), trained(file, { model: 'dense-logistic' })]);
    const expected = await reference(file, 7, 100, 60, 0.4);
    expect(Math.max(...expected)).toBeGreaterThan(0.1);
    expect(maxDifference(keyed.params, expected)).toBeLessThan(1e-5);
    expect(maxDifference(whole.params, expected)).toBeLessThan(1e-5);
    expect(keyed.state?.run?.experiment).toMatchObject({ data: 'file', examples: 2250, entries: 12 });
    const data = keyed.state?.workers.map(({ traffic }) => traffic.sent.data.bytes) ?? [];
    for (const bytes of data) expect(bytes).toBeLessThan(31 * (400 + 50 * 50));
  });

  it('a worker is not told the file’s name (D3)', async () => {
    const told: string[] = [];
    const compute = sparseCompute();
    const made = cluster({ workers: 1, maxSteps: 2 }, 0);
    made.addWorker({
      compute: {
        ...compute,
        prepare(...args: Parameters<typeof compute.prepare>) {
          told.push(JSON.stringify(args));
          return compute.prepare(...args);
        },
      },
    });
    made.tell({ type: 'examples', source: sourceOf(fileOf(lines(700, 8))) });
    made.start();
    await made.until(({ run }) => run?.phase === 'finished');
    expect(told).toHaveLength(1);
    expect(told[0]).not.toContain('clicks');
  });

  it('every strategy trains to its end on it', async () => {
    const file = fileOf(lines(2500, 2));
    for (const strategy of ['async', 'bounded', 'local'] as const) {
      const made = await trained(file, { strategy, localSteps: 4, maxSteps: null, epochs: 1, outer: 'average' });
      expect(made.state?.run?.examples).toBeGreaterThanOrEqual(2250);
    }
  });

  it('another file chosen meanwhile is for the next run', async () => {
    const file = fileOf(lines(2500, 6));
    const made = cluster({ emulate: '*:latency=5' }, 2);
    made.tell({ type: 'examples', source: sourceOf(file) });
    made.start();
    await made.until(({ run }) => run !== null);
    made.tell({ type: 'examples', source: sourceOf(fileOf(lines(700, 7), 'other.svm')) });
    await made.until(({ run }) => run?.phase === 'finished');
    expect(made.state?.examples).toMatchObject({ name: 'other.svm', phase: 'ready' });
    expect(maxDifference(made.params, await reference(file, 7, 100, 60, 0.4))).toBeLessThan(1e-5);
  });

  it('says what was skipped; too much of it, too few examples or no file keep a run from starting, in words', async () => {
    const made = cluster({}, 1);
    made.start();
    await made.until(({ note }) => note !== null);
    expect(made.state?.note?.text).toBe('Choose a file of examples first.');
    const bad = ['2 1:1', 'x'];
    made.tell({ type: 'examples', source: sourceOf(fileOf([...lines(500, 3), ...bad])) });
    await made.until(({ examples }) => examples?.phase === 'ready');
    expect(made.state?.examples).toMatchObject({
      ...{ name: 'clicks.svm', trainCount: 450, testCount: 50, malformed: 2 },
      problems: ['line 501: the label is “2”, not 0, 1 or −1', 'line 502: the label is “x”, not 0, 1 or −1'],
    });
    made.tell({ type: 'examples', source: sourceOf(fileOf([...lines(500, 3), ...bad, 'y'])) });
    await made.until(({ examples }) => examples?.phase === 'failed');
    made.start();
    await made.until(({ note }) => note !== null);
    expect(made.state?.note).toMatchObject({ kind: 'broken', text: expect.stringContaining('3 malformed lines') });
    made.tell({ type: 'examples', source: sourceOf(fileOf(lines(20, 3))) });
    await made.until(({ examples }) => examples?.phase === 'ready');
    made.start();
    await made.until(({ note }) => note?.text.includes('batch') === true);
    expect(made.state?.note?.text).toContain('batch is more than the 18 examples there are');
  });

  it('an interrupted run goes on with its file and with no other', async () => {
    const store = memoryStore();
    const texts = lines(2500, 4);
    const straight = await trained(fileOf(texts));
    const before = cluster({ emulate: '*:latency=10' }, 2, store);
    before.tell({ type: 'examples', source: sourceOf(fileOf(texts)) });
    before.start();
    await before.until(({ run }) => (run?.version ?? 0) > 5);
    before.tell({ type: 'pause' });
    await before.until(() => store.saves > 0);
    before.close();

    const after = cluster({}, 2, store);
    await after.until(({ resumable }) => resumable !== null);
    expect(after.state?.resumable?.file).toMatchObject({ name: 'clicks.svm' });
    const refused = async (words: RegExp) => {
      after.tell({ type: 'resume-saved' });
      await after.until(({ note }) => note !== null && words.test(note.text));
      expect(after.state?.resumable).not.toBeNull();
    };
    await refused(/^Choose clicks.svm \([\d,]+ bytes\) first/);
    after.tell({ type: 'examples', source: sourceOf(fileOf(lines(2500, 5), 'other.svm')) });
    await refused(/^other.svm is another file than the run was trained on. Choose clicks.svm/);
    after.tell({ type: 'examples', source: sourceOf(fileOf(texts, 'renamed.svm')) });
    after.tell({ type: 'resume-saved' });
    await after.until(({ run }) => run !== null);
    after.tell({ type: 'resume' });
    await after.until(({ run }) => run?.phase === 'finished');
    // A round that a pause cut short has other examples; parameters of another file would differ by tenths.
    expect(maxDifference(after.params, straight.params)).toBeLessThan(0.03);
    expect(maxDifference(new Float32Array(FEATURES + 1), straight.params)).toBeGreaterThan(0.1);
  });
});

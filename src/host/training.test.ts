import { afterEach, describe, expect, it } from 'vitest';
import { noSample } from '../core/wire/resources.ts';
import { tallyBytes } from '../core/wire/traffic.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { Cluster, memoryStore } from './cluster-for-tests.ts';

const clusters: Cluster[] = [];
const cluster = (experiment: Partial<Experiment>, workers: number, store = memoryStore()) => {
  const made = new Cluster(experiment, store);
  clusters.push(made);
  made.start();
  for (let i = 0; i < workers; i++) made.addWorker({ isLocal: experiment.strategy === 'single' });
  return made;
};
const finished = (made: Cluster) => made.until(({ run }) => run?.phase === 'finished');

afterEach(() => {
  for (const made of clusters.splice(0)) made.close();
});

describe('training through real frames', { timeout: 30_000 }, () => {
  it('sync with 4 workers × batch 25 gives the losses of single with batch 100 to 1e-4 over 50 steps, seed 7', async () => {
    const single = cluster({ strategy: 'single', batch: 100, maxSteps: 50, lr: 0.5, seed: 7 }, 1);
    const sync = cluster({ strategy: 'sync', workers: 4, batch: 25, maxSteps: 50, lr: 0.5, seed: 7 }, 4);
    await Promise.all([finished(single), finished(sync)]);
    expect(sync.train).toHaveLength(50);
    expect(single.train).toHaveLength(50);
    sync.train.forEach(({ loss }, i) => {
      expect(Math.abs(loss - (single.train[i]?.loss ?? Number.NaN))).toBeLessThan(1e-4);
    });
    expect(sync.train.at(-1)?.loss).toBeLessThan((sync.train[0]?.loss ?? 0) / 2);
  });

  it('adding workers never repeats work: three do a third of the steps each', async () => {
    const made = cluster({ strategy: 'sync', workers: 3, batch: 10, maxSteps: 20, seed: 3 }, 3);
    await finished(made);
    expect(made.state?.workers.map(({ applied }) => applied)).toEqual([20, 20, 20]);
    expect(made.state?.run?.examples).toBe(600);
  });

  it('tells when each push came and was answered, each worker’s own curve, samples and parameters', async () => {
    const made = cluster({ strategy: 'sync', workers: 2, batch: 10, maxSteps: 20, seed: 3 }, 1);
    const worker = made.addWorker();
    await finished(made);
    worker({ type: 'sample', sample: { ...noSample, busy: 0.5 } });
    made.tell({ type: 'parameters', request: 9 });
    await made.until(() => made.heard.some(({ type }) => type === 'sample'));
    const steps = made.heard.flatMap((news) => (news.type === 'steps' ? news.steps : []));
    expect(steps).toHaveLength(40);
    for (const { receivedMs, answeredMs, verdict } of steps) {
      expect(answeredMs).toBeGreaterThanOrEqual(receivedMs);
      expect(verdict).toBe('applied');
    }
    const points = made.heard.flatMap((news) => (news.type === 'curves' ? news.workers : []));
    for (const of of [1, 2]) {
      expect(points.filter(({ worker }) => worker === of).flatMap((news) => news.points)).toHaveLength(20);
    }
    expect(made.heard).toContainEqual(expect.objectContaining({ type: 'sample', worker: 2 }));
    const given = made.heard.find((news) => news.type === 'parameters');
    expect(given).toMatchObject({ request: 9, version: 20, params: made.params });
  });

  it('async counts every push once and measures staleness', async () => {
    const made = cluster({ strategy: 'async', workers: 3, batch: 10, maxSteps: 60, seed: 3 }, 3);
    await finished(made);
    const workers = made.state?.workers ?? [];
    expect(workers.reduce((sum, { applied }) => sum + applied, 0)).toBe(60);
    expect(workers.some(({ stalenessMax }) => stalenessMax > 0)).toBe(true);
  });

  it('a worker that leaves mid-run costs at most its step', async () => {
    const made = cluster({ strategy: 'sync', workers: 3, batch: 10, maxSteps: 150, seed: 5 }, 2);
    const leaver = made.addWorker();
    await made.until(({ run }) => (run?.version ?? 0) > 5);
    leaver({ type: 'leave' });
    await finished(made);
    const { run, workers } = made.state ?? {};
    expect(run?.examples).toBe((workers ?? []).reduce((sum, { examples }) => sum + examples, 0));
    expect(workers?.filter(({ phase }) => phase === 'gone')).toHaveLength(1);
  });

  it('a finishing worker hands its step in and is gone', async () => {
    const made = cluster({ strategy: 'async', workers: 2, batch: 10, maxSteps: 200, seed: 5 }, 1);
    const finisher = made.addWorker();
    await made.until(({ run }) => (run?.version ?? 0) > 5);
    finisher({ type: 'set', intensity: 1, isPaused: false, isFinishing: true });
    await made.until(({ workers }) => workers.some(({ phase }) => phase === 'gone'));
    await finished(made);
    expect(made.state?.run?.counters.leasesReturned).toBeLessThanOrEqual(2);
  });

  it('bytes: one exchange per round, parameters down and gradients up, little else (B1)', async () => {
    const made = cluster({ strategy: 'sync', workers: 1, batch: 10, maxSteps: 40, seed: 5 }, 1);
    await finished(made);
    const { sent, received } = made.state?.workers[0]?.traffic ?? {};
    if (!sent || !received) throw new Error('no traffic');
    expect(sent.parameters.frames).toBe(40);
    expect(received.gradients.frames).toBe(40);
    expect(tallyBytes(received) / (40 * 4 * 7850)).toBeLessThan(1.02);
    expect(tallyBytes(sent) / (40 * 4 * 7850)).toBeLessThan(1.02);
  });

  it('a host that starts again goes on from its checkpoint and its workers count on', async () => {
    const store = memoryStore();
    const before = cluster({ strategy: 'async', workers: 1, batch: 10, maxSteps: 800, seed: 5 }, 1, store);
    await before.until(({ run }) => (run?.version ?? 0) > 5);
    before.tell({ type: 'pause' });
    await before.until(({ run }) => run?.phase === 'paused' && store.saves > 0);
    const after = new Cluster({ strategy: 'async', workers: 1, batch: 10, maxSteps: 800, seed: 5 }, store);
    clusters.push(after);
    await after.until(({ resumable }) => resumable !== null);
    const savedVersion = after.state?.resumable?.version ?? 0;
    expect(savedVersion).toBeGreaterThan(5);
    after.tell({ type: 'resume-saved' });
    after.addWorker();
    await finished(after);
    expect(after.state?.run?.version).toBe(800);
    expect(after.train).toHaveLength(800);
  });

  it('allreduce with 3 workers gives the parameters of sync with 3 to 1e-4; the host carries almost nothing', async () => {
    const shape = { workers: 3, batch: 10, maxSteps: 40, lr: 0.5, seed: 7 } as const;
    const sync = cluster({ strategy: 'sync', ...shape }, 3);
    const ring = cluster({ strategy: 'allreduce', ...shape }, 3);
    await Promise.all([finished(sync), finished(ring)]);
    expect(maxDifference(ring.params, sync.params)).toBeLessThan(1e-4);
    expect(ring.train.map(({ step }) => step)).toEqual(sync.train.map(({ step }) => step));
    const bytesOf = (made: Cluster) =>
      (made.state?.workers ?? []).reduce(
        (sum, { traffic: { sent, received } }) => sum + tallyBytes(sent) + tallyBytes(received),
        0,
      );
    // One look at the end: one copy of the parameters.
    expect(bytesOf(ring) - 4 * ring.params.length).toBeLessThan(bytesOf(sync) / 20);
    expect(ring.state?.workers.every(({ peerBytes }) => peerBytes > 0)).toBe(true);
  });

  it('allreduce goes on without a worker that leaves, and feeds one that comes later', async () => {
    const made = cluster(
      { strategy: 'allreduce', workers: 3, batch: 10, maxSteps: 80, optimizer: 'adam', lr: 0.01, seed: 5 },
      2,
    );
    const leaver = made.addWorker();
    await made.until(({ run }) => (run?.version ?? 0) > 5);
    leaver({ type: 'leave' });
    await made.until(({ run }) => (run?.version ?? 0) > 15);
    made.addWorker();
    await finished(made);
    const { run, workers } = made.state ?? {};
    expect(run?.version).toBe(80);
    expect(workers?.at(-1)?.applied).toBeGreaterThan(20);
    expect(run?.counters.lost).toBe(0);
    expect(run?.examples).toBe((workers ?? []).reduce((sum, { examples }) => sum + examples, 0));
  });

  it.each(['average', 'nesterov'] as const)('local steps learn with outer %s', async (outer) => {
    const made = cluster(
      {
        strategy: 'local',
        localSteps: 4,
        outer,
        workers: 2,
        batch: 10,
        maxSteps: 12,
        lr: 0.2,
        up: 'int8',
        down: 'int8',
      },
      2,
    );
    await finished(made);
    expect(made.state?.run?.examples).toBe(12 * 2 * 4 * 10);
    expect(made.train.at(-1)?.loss).toBeLessThan((made.train[0]?.loss ?? 0) / 2);
  });

  it.each([
    ['float16', 'float16'],
    ['int8', 'int8'],
    ['topk', 'float32'],
  ] as const)('learns with %s up and %s down', async (up, down) => {
    const made = cluster({ strategy: 'sync', workers: 2, batch: 10, maxSteps: 60, up, down, topk: 0.05 }, 2);
    await finished(made);
    expect(made.train.at(-1)?.loss).toBeLessThan((made.train[0]?.loss ?? 0) / 2);
  });

  it('overlapped async computes while its push is on the way, and counts the staleness', async () => {
    const made = cluster(
      { strategy: 'async', overlap: true, workers: 1, batch: 10, maxSteps: 40, emulate: '*:latency=10' },
      1,
    );
    await finished(made);
    const [worker] = made.state?.workers ?? [];
    expect(worker?.stalenessMax).toBe(1);
    expect(worker?.rejected).toBe(0);
  });
});

const maxDifference = (a: Float32Array, b: Float32Array) =>
  a.reduce(
    (most, value, i) => Math.max(most, Math.abs(value - (b[i] as number))),
    a.length === b.length ? 0 : Infinity,
  );

import { afterEach, expect, test } from 'vitest';
import type { Experiment } from '../experiment/experiment.ts';
import { type PlacedKind, type PlacedSpan, placeSteps } from '../observe/placed-steps.ts';
import type { StepTrace } from '../observe/step-trace.ts';
import type { Compute } from '../worker/compute.ts';
import { Cluster } from './cluster-for-tests.ts';

const STEP_MS = 25;
const PAUSE_MS = 300;
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Takes its time, and remembers when that was. */
function watchedCompute(): { readonly compute: Compute; readonly truth: Stretch[] } {
  const truth: Stretch[] = [];
  const compute: Compute = {
    prepare: async () => ({ name: 'plain', why: 'for tests' }),
    prefetch: () => undefined,
    async step(params) {
      const fromMs = performance.now();
      await sleep(STEP_MS);
      const toMs = performance.now();
      truth.push({ fromMs, toMs });
      const gradient = new Float32Array(params.length).fill(0.001);
      return { gradient, loss: 1, correct: null, decodeMs: 0, computeMs: toMs - fromMs, readMs: 0 };
    },
  };
  return { compute, truth };
}

const clusters: Cluster[] = [];
afterEach(() => {
  for (const made of clusters.splice(0)) made.close();
});

/** Trains with two workers; the times of what they computed are as those of the timeline. */
async function trained(experiment: Partial<Experiment>, meanwhile = async (_: Cluster, __: Worker) => {}) {
  const made = new Cluster({ workers: 2, batch: 10, seed: 3, ...experiment });
  clusters.push(made);
  made.start();
  const workers = [watchedCompute(), watchedCompute()];
  const [first] = workers.map(({ compute }) => made.addWorker({ compute }));
  await meanwhile(made, first as Worker);
  await made.until(({ run }) => run?.phase === 'finished');
  await sleep(300);
  const steps = made.heard.flatMap((news) => (news.type === 'steps' ? news.steps : []));
  const startedMs = made.state?.run?.startedAtMs ?? 0;
  const truth = workers.map((worker) =>
    worker.truth.map(({ fromMs, toMs }) => ({ fromMs: fromMs - startedMs, toMs: toMs - startedMs })),
  );
  return { steps, truth, spans: placeSteps({ steps, spans: [] }) };
}
type Worker = ReturnType<Cluster['addWorker']>;

const sum = (of: readonly PlacedSpan[], kind?: PlacedKind) =>
  of.reduce((total, span) => total + (kind === undefined || span.kind === kind ? span.durationMs : 0), 0);

/** The part of what was computed that is drawn as such, when it was. */
function agreement(truth: readonly Stretch[], drawn: readonly PlacedSpan[]): number {
  const shared = truth.reduce(
    (total, { fromMs, toMs }) =>
      drawn.reduce((of, { startMs, durationMs }) => {
        const bothMs = Math.min(toMs, startMs + durationMs) - Math.max(fromMs, startMs);
        return of + Math.max(0, bothMs);
      }, total),
    0,
  );
  return shared / truth.reduce((total, { fromMs, toMs }) => total + toMs - fromMs, 0);
}

/** What a worker told with its push: together the time since the push before. */
const toldMs = (step: StepTrace) => Object.values(step.phases).reduce((total, ms) => total + ms, 0);

test.each<[string, Partial<Experiment>]>([
  ['sync', { strategy: 'sync', maxSteps: 15 }],
  ['sync over slow links', { strategy: 'sync', maxSteps: 12, emulate: '*:latency=30' }],
  ['async with overlap', { strategy: 'async', overlap: true, maxSteps: 30 }],
  ['async with overlap over slow links', { strategy: 'async', overlap: true, maxSteps: 20, emulate: '*:latency=30' }],
  ['local steps', { strategy: 'local', localSteps: 3, maxSteps: 6 }],
  ['a straggler', { strategy: 'sync', maxSteps: 10, emulate: '2:slow=3' }],
])(
  '%s: a timeline shows computing when it was, fills the time, and phases add up to it',
  async (_name, experiment) => {
    const { steps, truth, spans } = await trained(experiment);
    for (const [index, real] of truth.entries()) {
      const own = steps.filter(({ worker }) => worker === index + 1);
      const drawn = spans.filter(({ node }) => node === index + 1);
      const thereMs = (own.at(-1)?.answeredMs ?? 0) - (own[0]?.givenMs ?? Number.NaN);
      expect(sum(drawn)).toBeCloseTo(thereMs, 6);
      const share = agreement(
        real,
        drawn.filter(({ kind }) => kind === 'compute'),
      );
      const periods = own.slice(1).map((step, at) => step.receivedMs - (own[at] as StepTrace).receivedMs);
      const periodMs = periods.reduce((total, ms) => total + ms, 0);
      const ratio = own.slice(1).reduce((total, step) => total + toldMs(step), 0) / periodMs;
      expect(share).toBeGreaterThan(0.6);
      expect(Math.abs(ratio - 1)).toBeLessThan(0.1);
    }
  },
  30_000,
);

test('a pause is drawn as one, and as nothing else', async () => {
  const { steps, spans, truth } = await trained({ strategy: 'async', maxSteps: 40 }, async (made, worker) => {
    await made.until(({ run }) => (run?.version ?? 0) > 5);
    worker({ type: 'set', intensity: 1, isPaused: true, isFinishing: false });
    await sleep(PAUSE_MS);
    worker({ type: 'set', intensity: 1, isPaused: false, isFinishing: false });
  });
  const drawn = spans.filter(({ node }) => node === 1);
  expect(sum(drawn, 'pause')).toBeGreaterThan(PAUSE_MS / 2);
  expect(sum(drawn, 'transfer') + sum(drawn, 'wait')).toBeLessThan(PAUSE_MS);
  expect(steps.length).toBeGreaterThan(0);
  expect(truth[0]?.length).toBeGreaterThan(0);
}, 30_000);

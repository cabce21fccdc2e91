import type { WorkerCurve, WorkerPoint } from '../core/server/progress.ts';
import type { NodeResources, ResourceSample } from '../core/wire/resources.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { RunLog } from '../observe/run-log.ts';
import { extendTimeline } from './step-recorder.ts';
import type { CurveDelta, FromServer } from './thread.ts';

/** Of one node: two hours of them. */
const MAX_SAMPLES = 3600;

export type GrowingLog = { -readonly [Key in keyof RunLog]: RunLog[Key] };

/** The log of a run of which nothing is known yet. */
export const newLog = (id: string, experiment: Experiment, startedAtMs: number): RunLog => ({
  id,
  experiment,
  startedAtMs,
  summary: null,
  end: null,
  train: [],
  test: [],
  workerCurves: [],
  resources: [],
  timeline: { steps: [], spans: [] },
  profile: null,
});

/** Adds what the server tells of the log's run. */
export function extendLog(log: GrowingLog, news: Extract<FromServer, { type: 'curves' | 'steps' | 'sample' }>): void {
  switch (news.type) {
    case 'curves':
      log.train = extended(log.train, news.train);
      log.test = extended(log.test, news.test);
      log.workerCurves = withCurves(log.workerCurves, news.workers);
      return;
    case 'steps':
      if (log.id === news.id) log.timeline = extendTimeline(log.timeline, news);
      return;
    case 'sample':
      return addSample(log, { node: `worker ${news.worker}`, worker: news.worker, source: 'tab' }, news);
    default:
      news satisfies never;
  }
}

/** A curve with what was added. */
const extended = <Point>(points: readonly Point[], { from, points: more }: CurveDelta<Point>): readonly Point[] =>
  more.length === 0 ? points : [...points.slice(0, from), ...more];

/** The workers' curves with what was added. */
function withCurves(
  curves: readonly WorkerCurve[],
  news: readonly ({ readonly worker: number } & CurveDelta<WorkerPoint>)[],
): readonly WorkerCurve[] {
  const all = new Map(curves.map(({ worker, points }) => [worker, points]));
  for (const { worker, ...delta } of news) all.set(worker, extended(all.get(worker) ?? [], delta));
  return Array.from(all, ([worker, points]) => ({ worker, points }));
}

/** Adds one more sample of a node; each keeps its place. */
export function addSample(
  log: GrowingLog,
  of: Omit<NodeResources, 'samples'>,
  { atMs, sample }: { readonly atMs: number; readonly sample: ResourceSample },
): void {
  const before = log.resources.find(({ node }) => node === of.node);
  const after = { ...of, samples: [...(before?.samples ?? []), { ...sample, atMs }].slice(-MAX_SAMPLES) };
  log.resources = before ? log.resources.map((other) => (other === before ? after : other)) : [...log.resources, after];
}

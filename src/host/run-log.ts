import type { WorkerCurve, WorkerPoint } from '../core/server/progress.ts';
import type { NodeResources, ResourceSample } from '../core/wire/resources.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { RunLog } from './state.ts';
import type { CurveDelta } from './thread.ts';

/** Of one node: two hours of them. */
const MOST_SAMPLES = 3600;

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

/** A curve with what was added. */
export const extended = <Point>(
  points: readonly Point[],
  { from, points: more }: CurveDelta<Point>,
): readonly Point[] => (more.length === 0 ? points : [...points.slice(0, from), ...more]);

/** The workers' curves with what was added. */
export function withCurves(
  curves: readonly WorkerCurve[],
  news: readonly ({ readonly worker: number } & CurveDelta<WorkerPoint>)[],
): readonly WorkerCurve[] {
  const all = new Map(curves.map(({ worker, points }) => [worker, points]));
  for (const { worker, ...delta } of news) all.set(worker, extended(all.get(worker) ?? [], delta));
  return Array.from(all, ([worker, points]) => ({ worker, points }));
}

/** What nodes used, with one more sample of this one; each keeps its place. */
export function withSample(
  resources: readonly NodeResources[],
  of: Omit<NodeResources, 'samples'>,
  { atMs, sample }: { readonly atMs: number; readonly sample: ResourceSample },
): readonly NodeResources[] {
  const before = resources.find(({ node }) => node === of.node);
  const after = { ...of, samples: [...(before?.samples ?? []), { ...sample, atMs }].slice(-MOST_SAMPLES) };
  return before ? resources.map((other) => (other === before ? after : other)) : [...resources, after];
}

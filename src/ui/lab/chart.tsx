import type { TestPoint } from '../../core/server/progress.ts';
import type { HostState } from '../../host/state.ts';
import { type Points, thin } from '../../observe/points.ts';
import { LossChart } from '../charts/loss-chart.tsx';
import { type XAxis, xOf } from '../charts/series.ts';
import { type LabModel, liveRun } from './model.ts';

const lines = new WeakMap<readonly TestPoint[], { readonly axis: XAxis; readonly line: Points }>();

/** Made once for each curve: a lab has many, and one that grows is replaced. */
function lineOf(points: readonly TestPoint[], axis: XAxis): Points {
  const known = lines.get(points);
  if (known?.axis === axis) return known.line;
  const line = thin({ x: points.map((point) => xOf(point, axis)), y: points.map((point) => point.loss) });
  lines.set(points, { axis, line });
  return line;
}

/** The test loss of every run so far, in the order of the plan; repeats look alike. */
export function LabChart({ model, state }: { model: LabModel; state: HostState }) {
  const axis = model.axis.value;
  const runs = model.runs.value;
  const labels = [...new Set(runs.map(({ label }) => label))];
  const now = liveRun(model, state) && model.progress.value?.run?.key;
  const curves = runs.flatMap(({ key, label }) => {
    if (model.hidden.value.has(key)) return [];
    const points = model.outcomes.value.get(key)?.report?.series.test ?? (key === now ? model.deps.host.log?.test : []);
    return points?.length ? [{ slot: labels.indexOf(label), name: label, line: lineOf(points, axis) }] : [];
  });
  return (
    <LossChart
      title="Test loss"
      label="Test loss of every run so far; the table below has their numbers"
      empty="Each run draws its curve here; runs with the same settings look alike."
      curves={curves}
      axis={axis}
      cutsOutliers
      hoverX={model.hoverX}
    />
  );
}

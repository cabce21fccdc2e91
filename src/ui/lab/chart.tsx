import { useEffect, useRef } from 'preact/hooks';
import type { TestPoint } from '../../core/server/progress.ts';
import type { HostState } from '../../host/state.ts';
import { createPlot, type PlottedRun, plotData } from '../charts/plot.ts';
import { type Line, nearest, thin, type XAxis, xOf } from '../charts/series.ts';
import { usePlot } from '../charts/use-plot.ts';
import { RunSwatch } from '../parts/run-swatch.tsx';
import { useTheme } from '../parts/theme.ts';
import { clock, count, loss } from '../words/format.ts';
import { type LabModel, liveRun } from './model.ts';

/** More values beside the title nobody reads; the table has them all. */
const MAX_READINGS = 8;

interface Curve {
  readonly label: string;
  readonly slot: number;
  readonly points: readonly TestPoint[];
}

/** The test loss of every run so far, in the order of the plan; repeats look alike. */
function curvesOf(model: LabModel, state: HostState): Curve[] {
  const runs = model.runs.value;
  const labels = [...new Set(runs.map(({ label }) => label))];
  const now = liveRun(model, state) && model.progress.value?.run?.key;
  return runs.flatMap(({ key, label }) => {
    if (model.hidden.value.has(key)) return [];
    const points = model.outcomes.value.get(key)?.report?.series.test ?? (key === now ? model.deps.host.log?.test : []);
    return points && points.length > 0 ? [{ label, slot: labels.indexOf(label), points }] : [];
  });
}

const lines = new WeakMap<readonly TestPoint[], { readonly axis: XAxis; readonly line: Line }>();

function lineOf(points: readonly TestPoint[], axis: XAxis): Line {
  const known = lines.get(points);
  if (known?.axis === axis) return known.line;
  const line = thin({ x: points.map((point) => xOf(point, axis)), y: points.map((point) => point.loss) });
  lines.set(points, { axis, line });
  return line;
}

/** The test loss of all settings while they are run, and its values at the pointer. */
export function LabChart({ model, state }: { model: LabModel; state: HostState }) {
  const axis = model.axis.value;
  const curves = curvesOf(model, state);
  const runs = curves.map(
    ({ slot, points }): PlottedRun => ({
      slot,
      hasDetail: true,
      lines: { train: null, test: { raw: lineOf(points, axis), smoothed: null } },
    }),
  );
  const theme = useTheme();
  const box = useRef<HTMLDivElement>(null);
  const shape = [theme, axis, ...runs.map(({ slot }) => slot)].join(' ');
  const size = curves.map(({ points }) => points.length).join(' ');
  const plot = usePlot(box, shape, (root) => {
    const onHover = (x: number | null) => {
      model.hoverX.value = x;
    };
    return createPlot(root, { metric: 'loss', axis, cutsOutliers: true, runs, onHover });
  });
  useEffect(() => plot.current?.setData(plotData(runs)), [size]);
  const isEmpty = runs.length === 0;
  return (
    <figure class="chart">
      <figcaption>
        <h2>Test loss</h2>
        <Readings model={model} curves={curves} axis={axis} />
      </figcaption>
      <div
        class={isEmpty ? 'plot blank' : 'plot'}
        ref={box}
        role="img"
        aria-label="Test loss of every run so far; the table below has their numbers"
      />
      {isEmpty && <p class="empty">Each run draws its curve here; runs with the same settings look alike.</p>}
    </figure>
  );
}

function Readings({ model, curves, axis }: { model: LabModel; curves: readonly Curve[]; axis: XAxis }) {
  const x = model.hoverX.value;
  const latest = new Map(curves.map((curve) => [curve.slot, curve]));
  return (
    <p class="readings">
      {x !== null && curves.length > 0 && (
        <small>at {axis === 'step' ? `step ${count(Math.max(0, x))}` : clock(x * 1000)}</small>
      )}
      {[...latest.values()].slice(-MAX_READINGS).map(({ label, slot, points }) => {
        const line = lineOf(points, axis);
        return (
          <span key={slot} title={label}>
            <RunSwatch slot={slot} />
            {loss(line.y[x === null ? line.y.length - 1 : nearest(line, x)])}
          </span>
        );
      })}
    </p>
  );
}

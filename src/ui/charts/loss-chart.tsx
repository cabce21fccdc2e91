import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { clock, count, loss } from '../../observe/format.ts';
import { type Points, valueAt } from '../../observe/points.ts';
import { RunSwatch } from '../parts/run-swatch.tsx';
import { createPlot, plotData } from './plot.ts';
import type { XAxis } from './series.ts';
import { usePlot } from './use-plot.ts';

/** More values beside the title nobody reads; the table has them all. */
const MAX_READINGS = 8;

interface LossChartProps {
  readonly title: string;
  /** What it shows, for who cannot see it. */
  readonly label: string;
  /** Said while there is no curve. */
  readonly empty: string;
  /** Curves of one slot look alike. */
  readonly curves: readonly { readonly slot: number; readonly name: string; readonly line: Points }[];
  readonly axis: XAxis;
  readonly cutsOutliers: boolean;
  readonly hoverX: Signal<number | null>;
}

/** The test loss of several runs as curves, and its values at the pointer, or the last ones. */
export function LossChart({ title, label, empty, curves, axis, cutsOutliers, hoverX }: LossChartProps) {
  const runs = curves.map(({ slot, line }) => ({
    slot,
    hasDetail: true,
    lines: { train: null, test: { raw: line, smoothed: null } },
  }));
  const box = useRef<HTMLDivElement>(null);
  const shape = [axis, ...runs.map(({ slot }) => slot)].join(' ');
  const size = curves.map(({ line: { x } }) => `${x.length} ${x.at(-1)}`).join(' ');
  const plot = usePlot(box, shape, (root) => {
    const onHover = (x: number | null) => {
      hoverX.value = x;
    };
    return createPlot(root, { metric: 'loss', axis, cutsOutliers, runs, onHover });
  });
  useEffect(() => plot.current?.setData(plotData(runs)), [size]);
  const isEmpty = curves.length === 0;
  const x = hoverX.value;
  const latest = new Map(curves.map((curve) => [curve.slot, curve]));
  return (
    <figure class="chart">
      <figcaption>
        <h2>{title}</h2>
        <p class="readings">
          {x !== null && !isEmpty && (
            <small>at {axis === 'step' ? `step ${count(Math.max(0, x))}` : clock(x * 1000)}</small>
          )}
          {[...latest.values()].slice(-MAX_READINGS).map(({ slot, name, line }) => (
            <span key={slot} title={name}>
              <RunSwatch slot={slot} />
              {loss(valueAt(line, x))}
            </span>
          ))}
        </p>
      </figcaption>
      <div class={isEmpty ? 'plot blank' : 'plot'} ref={box} role="img" aria-label={label} />
      {isEmpty && <p class="empty">{empty}</p>}
    </figure>
  );
}

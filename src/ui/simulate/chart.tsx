import { useEffect, useRef } from 'preact/hooks';
import { clock, loss } from '../../observe/format.ts';
import { type Points, valueAt } from '../../observe/points.ts';
import { comparable } from '../../simulate/scenario.ts';
import { createPlot, type PlottedRun, plotData } from '../charts/plot.ts';
import { usePlot } from '../charts/use-plot.ts';
import { RunSwatch } from '../parts/run-swatch.tsx';
import { useTheme } from '../parts/theme.ts';
import type { Shown, SimulateModel } from './model.ts';

const lineOf = ({ curve }: Shown): Points => ({
  x: curve.map(({ elapsedMs }) => elapsedMs / 1000),
  y: curve.map((point) => point.loss),
});

const plotted = (shown: Shown): PlottedRun => ({
  slot: comparable.indexOf(shown.strategy),
  hasDetail: true,
  lines: { train: null, test: { raw: lineOf(shown), smoothed: null } },
});

/** The strategies' test loss over virtual time, and its values at the pointer. */
export function SimulateChart({ model }: { model: SimulateModel }) {
  const shown = model.shown.value;
  const runs = shown.map(plotted);
  const theme = useTheme();
  const box = useRef<HTMLDivElement>(null);
  const shape = [theme, ...shown.map(({ strategy }) => strategy)].join(' ');
  const size = shown.map(({ curve }) => curve.length).join(' ');
  const plot = usePlot(box, shape, (root) => {
    const onHover = (x: number | null) => {
      model.hoverX.value = x;
    };
    return createPlot(root, { metric: 'loss', axis: 'relative', cutsOutliers: false, runs, onHover });
  });
  useEffect(() => plot.current?.setData(plotData(runs)), [size]);
  const isEmpty = runs.length === 0;
  return (
    <figure class="chart">
      <figcaption>
        <h2>Test loss over virtual time</h2>
        <Readings model={model} runs={runs} />
      </figcaption>
      <div
        class={isEmpty ? 'plot blank' : 'plot'}
        ref={box}
        role="img"
        aria-label="Test loss of each strategy over virtual time; the table below has the numbers"
      />
      {isEmpty && <p class="empty">Choose the world on this page and press Simulate: each strategy draws its curve.</p>}
    </figure>
  );
}

function Readings({ model, runs }: { model: SimulateModel; runs: readonly PlottedRun[] }) {
  const x = model.hoverX.value;
  return (
    <p class="readings">
      {x !== null && runs.length > 0 && <small>at {clock(x * 1000)}</small>}
      {runs.map(({ slot, lines: { test } }) => (
        <span key={slot}>
          <RunSwatch slot={slot} />
          {loss(valueAt(test.raw, x))}
        </span>
      ))}
    </p>
  );
}

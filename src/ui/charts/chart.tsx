import './chart.css';
import { useEffect, useRef } from 'preact/hooks';
import { emulatedWords } from '../../experiment/emulated.ts';
import { loss, percent } from '../../observe/format.ts';
import { valueAt } from '../../observe/points.ts';
import type { HostModel, ShownRun } from '../host/model.ts';
import { RunSwatch } from '../parts/run-swatch.tsx';
import { WorkerDot } from '../parts/worker-dot.tsx';
import { ChartTable } from './chart-table.tsx';
import { createPlot, type PlottedRun, plotData } from './plot.ts';
import { linesOf, type Metric, type WorkerLine, workerLines } from './series.ts';
import { usePlot } from './use-plot.ts';

const titles: Record<Metric, string> = { loss: 'Loss', accuracy: 'Test accuracy' };
const format: Record<Metric, (value: number | undefined) => string> = { loss, accuracy: percent };

interface ChartProps extends ReadingsProps {
  /** Draws the workers' own curves, of the first of the shown runs, in place of its training loss. */
  readonly showsWorkers: boolean;
}

/** One metric of the shown runs as curves, its value at the pointer, and a table behind. */
export function Chart({ model, metric, showsWorkers }: ChartProps) {
  const axis = model.axis.value;
  const smoothing = model.smoothing.value;
  const cutsOutliers = model.cutsOutliers.value;
  const shown = model.runs.value.filter(({ isShown }) => isShown);
  const first = shown[0];
  const workers = showsWorkers && first ? workerLines(first.log, metric, axis, smoothing) : [];
  const runs = shown.map(({ log, slot }) => ({
    slot,
    hasDetail: slot === 0 || shown.length === 1,
    lines: linesOf(log, metric, axis, smoothing),
  }));
  const drawnRuns = workers.length === 0 ? runs : runs.map((run) => ({ ...run, lines: { ...run.lines, train: null } }));
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef('');

  const isSmooth = runs.map(({ lines }) => [lines.train?.smoothed === null, lines.test.smoothed === null]);
  const shape = [axis, cutsOutliers, workers.map(({ worker }) => worker), shown.map(({ log }) => log.id), isSmooth];
  const size = [
    smoothing,
    shown.map(({ log }) => [log.train.length, log.test.length]),
    showsWorkers && first?.log.workerCurves.map(({ points }) => points.length),
  ].join(' ');
  const plot = usePlot(box, JSON.stringify(shape), (root) => {
    const onHover = (x: number | null) => {
      model.hoverX.value = x;
    };
    drawn.current = size;
    return createPlot(root, { metric, axis, cutsOutliers, runs: drawnRuns, workers, onHover });
  });
  useEffect(() => {
    const { current } = plot;
    if (current === null || drawn.current === size) return;
    drawn.current = size;
    // A stretch picked with the pointer stays in view while the curves grow. A lone point has room around it: no zoom.
    const { min, max } = current.scales.x ?? {};
    const known = current.data[0];
    const isZoomed = (min ?? 0) > (known[0] ?? 0) || (max ?? 0) < (known.at(-1) ?? 0);
    current.setData(plotData(drawnRuns, workers), !isZoomed);
    if (isZoomed) current.redraw();
  }, [size]);

  const hasPoints = shown.some(({ log }) => log.test.length > 0 || (metric === 'loss' && log.train.length > 0));
  return (
    <figure class="chart">
      <figcaption>
        <h2>{titles[metric]}</h2>
        <Readings model={model} metric={metric} runs={runs} />
      </figcaption>
      {showsWorkers && <WorkerReadings model={model} metric={metric} workers={workers} />}
      <Emulated runs={shown} />
      <div
        class={hasPoints ? 'plot' : 'plot blank'}
        ref={box}
        role="img"
        aria-label={`${titles[metric]} of the shown runs; the table below has the numbers`}
      />
      {!hasPoints && <p class="empty">The curve appears here as soon as training has begun.</p>}
      {metric === 'loss' && (
        <p class="key">
          <i class="line strong" /> test <i class="line" /> {workers.length > 0 ? 'each worker' : 'train'}
        </p>
      )}
      <ChartTable metric={metric} runs={shown} />
    </figure>
  );
}

interface ReadingsProps {
  readonly model: HostModel;
  readonly metric: Metric;
}

/** The workers' values at the pointer, or their last ones. */
function WorkerReadings({ model, metric, workers }: ReadingsProps & { workers: readonly WorkerLine[] }) {
  const rows = model.state.value.workers;
  return (
    <p class="worker-readings">
      {workers.length === 0 && (
        <span class="aside">
          {metric === 'loss' ? 'No worker has a curve of its own yet.' : 'Nobody counts right answers while training.'}
        </span>
      )}
      {workers.map(({ worker, line }) => (
        <span key={worker} title={rows.find((row) => row.worker === worker)?.name ?? `worker ${worker}`}>
          <WorkerDot worker={worker} />
          {format[metric](valueAt(line, model.hoverX.value))}
        </span>
      ))}
    </p>
  );
}

/** Which curves were made under made-up conditions. */
function Emulated({ runs }: { runs: readonly ShownRun[] }) {
  return runs.map(({ log, slot }) => {
    const words = emulatedWords(log.experiment);
    return words === null ? null : (
      <p key={slot} class="emulated" title={words}>
        <RunSwatch slot={slot} />
        emulated: {words}
      </p>
    );
  });
}

/** The curves' values at the pointer, or their last ones. */
function Readings({ model, metric, runs }: ReadingsProps & { runs: readonly PlottedRun[] }) {
  const x = model.hoverX.value;
  return (
    <p class="readings">
      {runs.map(({ slot, lines }) => (
        <span key={slot}>
          <RunSwatch slot={slot} />
          {format[metric](valueAt(lines.test.raw, x))}
          {lines.train !== null && slot === 0 && (
            <small> train {format[metric](valueAt(lines.train.smoothed ?? lines.train.raw, x))}</small>
          )}
        </span>
      ))}
    </p>
  );
}

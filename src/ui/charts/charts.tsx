import './charts.css';
import { useState } from 'preact/hooks';
import { curvesToCsv, curvesToJson } from '../../export/curves.ts';
import type { HostModel } from '../host/model.ts';
import { EverythingButton, save } from '../runs/export-everything.tsx';
import { Chart } from './chart.tsx';
import { type XAxis, xAxes } from './series.ts';

const axisWords: Record<XAxis, string> = { step: 'Step', relative: 'Time', wall: 'Clock' };
const axisTitles: Record<XAxis, string> = {
  step: 'By step: one update of the parameters',
  relative: 'By time since the run began, pauses left out',
  wall: 'By time of day',
};

/** The two main charts and how they are looked at. */
export function Charts({ model }: { model: HostModel }) {
  const logs = () =>
    model.runs.value.filter(({ isShown }) => isShown).map(({ log, numbers }) => ({ ...log, summary: numbers }));
  const isEmpty = model.runs.value.every(({ isShown }) => !isShown);
  const smoothing = model.smoothing.value;
  const [showsWorkers, setShowsWorkers] = useState(false);
  return (
    <section class="charts" aria-label="Curves">
      <div class="pair">
        <Chart model={model} metric="loss" showsWorkers={showsWorkers} />
        <Chart model={model} metric="accuracy" showsWorkers={showsWorkers} />
      </div>
      <div class="tools">
        <div class="segments" role="radiogroup" aria-label="Horizontal axis">
          {xAxes.map((axis) => (
            <label key={axis} title={axisTitles[axis]}>
              <input
                type="radio"
                name="axis"
                checked={model.axis.value === axis}
                onChange={() => {
                  model.axis.value = axis;
                }}
              />
              <span>{axisWords[axis]}</span>
            </label>
          ))}
        </div>
        <label
          class="slider"
          title="Moving average over steps; the measured line stays faint behind it. Tests far apart hardly change."
        >
          Smoothing
          <input
            type="range"
            min="0"
            max="0.99"
            step="0.01"
            value={smoothing}
            onInput={(event) => {
              model.smoothing.value = Number(event.currentTarget.value);
            }}
          />
          <output>{smoothing.toFixed(2)}</output>
        </label>
        <label
          class="pick"
          title="Fit the charts to the middle 90 % of the values, so that the first steps do not flatten the rest"
        >
          <input
            type="checkbox"
            checked={model.cutsOutliers.value}
            onChange={(event) => {
              model.cutsOutliers.value = event.currentTarget.checked;
            }}
          />
          Cut outliers
        </label>
        <label class="pick" title="The loss and the accuracy of each worker’s own batches, in its colour">
          <input
            type="checkbox"
            checked={showsWorkers}
            onChange={(event) => setShowsWorkers(event.currentTarget.checked)}
          />
          Each worker
        </label>
        <span class="downloads">
          Download{' '}
          <button
            type="button"
            class="text"
            disabled={isEmpty}
            title="Every point of the shown runs, for a spreadsheet"
            onClick={() => save('manyhands-curves.csv', 'text/csv', [curvesToCsv(logs())])}
          >
            CSV
          </button>
          <button
            type="button"
            class="text"
            disabled={isEmpty}
            title="The shown runs with their experiments and what they came to"
            onClick={() => save('manyhands-curves.json', 'application/json', [curvesToJson(logs())])}
          >
            JSON
          </button>
          <EverythingButton
            key={model.deps.host.log?.id}
            host={model.deps.host}
            log={model.deps.host.log}
            label="Everything (zip)"
          />
        </span>
      </div>
    </section>
  );
}

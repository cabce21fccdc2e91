import './charts.css';
import { useState } from 'preact/hooks';
import { curvesToCsv, curvesToJson } from '../../export/curves.ts';
import type { HostModel } from '../host/model.ts';
import { Check, Segments } from '../parts/choice.tsx';
import { EverythingButton, save } from '../runs/export-everything.tsx';
import { Chart } from './chart.tsx';
import type { XAxis } from './series.ts';

const axisWords: Record<XAxis, string> = { step: 'Step', relative: 'Time', wall: 'Clock' };
const axisHints: Record<XAxis, string> = {
  step: 'By step: one update of the parameters',
  relative: 'By time since the run began, pauses left out',
  wall: 'By time of day',
};

const downloads = [
  { label: 'CSV', type: 'text/csv', file: curvesToCsv, title: 'Every point of the shown runs, for a spreadsheet' },
  { label: 'JSON', type: 'application/json', file: curvesToJson, title: 'The shown runs, settings and results' },
];

/** The two main charts and how they are looked at. */
export function Charts({ model }: { model: HostModel }) {
  const runs = model.runs.value;
  const own = runs.find(({ slot }) => slot === 0);
  const logs = () => runs.filter(({ isShown }) => isShown).map(({ log, numbers }) => ({ ...log, summary: numbers }));
  const isEmpty = runs.every(({ isShown }) => !isShown);
  const smoothing = model.smoothing.value;
  const [showsWorkers, setShowsWorkers] = useState(false);
  return (
    <section class="charts" aria-label="Curves">
      <div class="pair">
        <Chart model={model} metric="loss" showsWorkers={showsWorkers} />
        <Chart model={model} metric="accuracy" showsWorkers={showsWorkers} />
      </div>
      <div class="tools">
        <Segments
          label="Horizontal axis"
          name="axis"
          options={axisWords}
          hints={axisHints}
          value={model.axis.value}
          onChoose={(axis) => {
            model.axis.value = axis;
          }}
        />
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
        <Check
          title="Fit the charts to the middle 90 % of the values, so that the first steps do not flatten the rest"
          isOn={model.cutsOutliers.value}
          onChange={(isOn) => {
            model.cutsOutliers.value = isOn;
          }}
        >
          Cut outliers
        </Check>
        <Check
          title="The loss and the accuracy of each worker’s own batches, in its colour"
          isOn={showsWorkers}
          onChange={setShowsWorkers}
        >
          Each worker
        </Check>
        <span class="downloads">
          Download{' '}
          {downloads.map(({ label, title, type, file }) => (
            <button
              key={label}
              type="button"
              class="text"
              disabled={isEmpty}
              title={title}
              onClick={() => save(`manyhands-curves.${label.toLowerCase()}`, type, [file(logs())])}
            >
              {label}
            </button>
          ))}
          <EverythingButton key={own?.log.id} host={model.deps.host} run={own} label="Everything (zip)" />
        </span>
      </div>
    </section>
  );
}

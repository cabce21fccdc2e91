import './run-table.css';
import { useState } from 'preact/hooks';
import { emulatedWords } from '../../experiment/emulated.ts';
import { count, counted, duration, loss, moment, NOTHING, percent, timeOfDay } from '../../observe/format.ts';
import type { HostModel, ShownRun } from '../host/model.ts';
import { RunSwatch } from '../parts/run-swatch.tsx';
import { Scroll } from '../parts/scroll.tsx';
import { unbroken } from '../words/unbroken.ts';
import { subject } from '../words/words.ts';
import { CompareTable } from './compare-table.tsx';
import { EverythingButton } from './export-everything.tsx';
import { summarize } from './run-summary.ts';
import { runTitle } from './run-title.ts';

interface RowProps {
  readonly model: HostModel;
  readonly run: ShownRun;
  readonly targetLoss: number;
  readonly hasAuc: boolean;
}

function Row({ model, run, targetLoss, hasAuc }: RowProps) {
  const { log, slot, isShown } = run;
  const sum = summarize(log, targetLoss);
  const label = runTitle(log.experiment);
  const emulated = emulatedWords(log.experiment);
  const about = [
    `${subject(log.experiment)}, seed ${log.experiment.seed}`,
    ...(emulated === null ? [] : [`emulated: ${emulated}`]),
  ].join('; ');
  return (
    <tr class={isShown ? undefined : 'gone'}>
      <th scope="row">
        <label class="pick" title={about}>
          <input
            type="checkbox"
            checked={isShown}
            onChange={(event) => model.show(log.id, event.currentTarget.checked)}
            aria-label={`Show ${label}`}
          />
          <RunSwatch slot={slot} />
          {unbroken(label)}
        </label>
      </th>
      <td class="number" title={moment(log.startedAtMs)}>
        {slot === 0 ? 'this run' : timeOfDay(log.startedAtMs)}
      </td>
      <td class="number">{count(sum.steps)}</td>
      <td class="number">{duration(sum.elapsedMs)}</td>
      <td class="number">{sum.examples === null ? NOTHING : count(sum.examples)}</td>
      <td class="number">{loss(sum.testLoss)}</td>
      <td class="number">{percent(sum.accuracy)}</td>
      {hasAuc && <td class="number">{sum.auc === null ? NOTHING : sum.auc.toFixed(3)}</td>}
      <td class="number">{duration(sum.toTargetMs)}</td>
      <td>
        <EverythingButton host={model.deps.host} log={log} label="Zip" name={label} />
        {slot !== 0 && (
          <button
            type="button"
            class="quiet"
            aria-label={`Forget ${label}`}
            title="Forget this run"
            onClick={() => model.forget(log.id)}
          >
            ×
          </button>
        )}
      </td>
    </tr>
  );
}

/** This run and earlier ones side by side; the ticked ones are in the charts. */
export function RunTable({ model }: { model: HostModel }) {
  const runs = model.runs.value;
  const [target, setTarget] = useState('0.35');
  const hasAuc = runs.some(({ log }) => typeof log.test.at(-1)?.auc === 'number');
  const isTarget = Number(target) > 0 && Number.isFinite(Number(target));
  return (
    <section aria-label="Runs">
      <h2>
        Runs <span class="aside">{runs.length > 1 ? `${counted(runs.length, 'run')}, ticked ones are drawn` : ''}</span>
      </h2>
      {runs.length === 0 ? (
        <p class="empty">
          Each run is kept here with its numbers. Run twice with other settings to see time, bytes and accuracy side by
          side.
        </p>
      ) : (
        <Scroll label="List of runs">
          <table class="runs">
            <thead>
              <tr>
                <th scope="col">Run</th>
                {['Started', 'Steps', 'Time', 'Examples', 'Test loss', 'Accuracy', ...(hasAuc ? ['AUC'] : [])].map(
                  (name) => (
                    <th key={name} scope="col" class="number">
                      {name}
                    </th>
                  ),
                )}
                <th scope="col" class="number">
                  <label title="Time until the test loss was first this low">
                    Time to loss ≤{' '}
                    <input
                      type="text"
                      inputMode="decimal"
                      class="inline"
                      value={target}
                      aria-invalid={!isTarget}
                      onInput={(event) => setTarget(event.currentTarget.value)}
                    />
                  </label>
                </th>
                <th scope="col">
                  <span class="hidden">Download or forget</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {runs.map((run) => (
                <Row
                  key={run.log.id}
                  model={model}
                  run={run}
                  targetLoss={isTarget ? Number(target) : 0}
                  hasAuc={hasAuc}
                />
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      <CompareTable runs={runs} />
    </section>
  );
}

import './run-table.css';
import { useState } from 'preact/hooks';
import { emulatedWords } from '../../experiment/emulated.ts';
import { count, counted, duration, fixed, loss, moment, percent, timeOfDay } from '../../observe/format.ts';
import type { HostModel, ShownRun } from '../host/model.ts';
import { Check } from '../parts/choice.tsx';
import { RunSwatch } from '../parts/run-swatch.tsx';
import { type Column, Cross, number, Table } from '../parts/table.tsx';
import { unbroken } from '../words/unbroken.ts';
import { subject } from '../words/words.ts';
import { CompareTable } from './compare-table.tsx';
import { EverythingButton } from './export-everything.tsx';
import { examplesOf, lastTest, reached, stepsOf, timeOf } from './run-summary.ts';
import { runTitle } from './run-title.ts';

function aboutRun({ experiment }: ShownRun['log']): string {
  const emulated = emulatedWords(experiment);
  return `${subject(experiment)}, seed ${experiment.seed}${emulated === null ? '' : `; emulated: ${emulated}`}`;
}

function columnsOf(model: HostModel, target: Column<ShownRun>, hasAuc: boolean): Column<ShownRun>[] {
  return [
    {
      name: 'Run',
      isName: true,
      cell: ({ log, slot, isShown }) => (
        <Check
          isOn={isShown}
          title={aboutRun(log)}
          label={`Show ${runTitle(log.experiment)}`}
          onChange={(isOn) => model.show(log.id, isOn)}
        >
          <RunSwatch slot={slot} />
          {unbroken(runTitle(log.experiment))}
        </Check>
      ),
    },
    {
      ...number('Started', ({ log, slot }) => (slot === 0 ? 'this run' : timeOfDay(log.startedAtMs))),
      title: ({ log }) => moment(log.startedAtMs),
    },
    number('Steps', (run) => count(stepsOf(run))),
    number('Time', (run) => duration(timeOf(run))),
    number('Examples', (run) => fixed(examplesOf(run), 0)),
    number('Test loss', (run) => loss(lastTest(run)?.loss)),
    number('Accuracy', (run) => percent(lastTest(run)?.accuracy)),
    ...(hasAuc ? [number<ShownRun>('AUC', (run) => fixed(lastTest(run)?.auc, 3))] : []),
    target,
    {
      name: 'Download or forget',
      head: <span class="hidden">Download or forget</span>,
      cell: (run) => {
        const name = runTitle(run.log.experiment);
        return (
          <>
            <EverythingButton host={model.deps.host} run={run} label="Zip" name={name} />
            {run.slot !== 0 && (
              <Cross label={`Forget ${name}`} title="Forget this run" onClick={() => model.forget(run.log.id)} />
            )}
          </>
        );
      },
    },
  ];
}

/** This run and earlier ones side by side; the ticked ones are in the charts. */
export function RunTable({ model }: { model: HostModel }) {
  const runs = model.runs.value;
  const [target, setTarget] = useState('0.35');
  const targetLoss = Number(target) > 0 && Number.isFinite(Number(target)) ? Number(target) : null;
  const toTarget: Column<ShownRun> = {
    ...number('Time to loss', (run) => duration(reached(run, targetLoss)?.elapsedMs)),
    head: (
      <label title="Time until the test loss was first this low">
        Time to loss ≤{' '}
        <input
          type="text"
          inputMode="decimal"
          class="inline"
          value={target}
          aria-invalid={targetLoss === null}
          onInput={(event) => setTarget(event.currentTarget.value)}
        />
      </label>
    ),
  };
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
        <Table
          label="List of runs"
          class="runs"
          columns={columnsOf(
            model,
            toTarget,
            runs.some((run) => typeof lastTest(run)?.auc === 'number'),
          )}
          rows={runs}
          keyOf={({ log }) => log.id}
          rowProps={({ isShown }) => ({ class: isShown ? undefined : 'gone' })}
        />
      )}
      <CompareTable runs={runs} />
    </section>
  );
}

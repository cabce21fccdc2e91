import type { HostState, RunLog } from '../../host/state.ts';
import { workersOf } from '../../lab/summary.ts';
import type { SweepRun } from '../../lab/sweep.ts';
import type { SweepOutcome } from '../../lab/sweep-result.ts';
import { count, duration, loss, NOTHING, percent } from '../../observe/format.ts';
import { RunSwatch } from '../parts/run-swatch.tsx';
import { Scroll } from '../parts/scroll.tsx';
import { RunsHeading } from '../runs/runs-heading.tsx';
import type { LabModel } from './model.ts';
import { tabsHere, tabsNeeded } from './run.ts';
import { runName } from './words.ts';

/** The numbers of a row, whatever they come from. */
interface Numbers {
  readonly steps: string;
  readonly time: string;
  readonly loss: string;
  readonly accuracy: string;
}

const none: Numbers = { steps: NOTHING, time: NOTHING, loss: NOTHING, accuracy: NOTHING };

const reported = ({ report }: SweepOutcome): Numbers =>
  report === null
    ? none
    : {
        steps: count(report.steps),
        time: duration(report.wallSeconds * 1000),
        loss: loss(report.testLoss),
        accuracy: percent(report.testAccuracy),
      };

function live({ run }: HostState, log: RunLog | null): Numbers {
  const test = log?.test.at(-1);
  if (run === null) return none;
  return {
    steps: count(run.version),
    time: duration(run.elapsedMs),
    loss: loss(test?.loss),
    accuracy: percent(test?.accuracy),
  };
}

interface RowProps {
  readonly model: LabModel;
  readonly state: HostState;
  readonly run: SweepRun;
  readonly slot: number;
  readonly repeats: number;
  readonly hostTrains: boolean;
}

function Row({ model, state, run, slot, repeats, hostTrains }: RowProps) {
  const outcome = model.outcomes.value.get(run.key);
  const isNow = model.progress.value?.run?.key === run.key;
  const stage = isNow ? model.stage.value : null;
  const isTraining = stage !== null && 'id' in stage && state.run?.id === stage.id;
  const numbers = outcome ? reported(outcome) : isTraining ? live(state, model.deps.host.log) : none;
  const needed = tabsNeeded(run, hostTrains);
  const isShort = !outcome && !isTraining && needed > tabsHere(state);
  const words = outcome
    ? outcome.failure === null
      ? 'done'
      : 'failed'
    : isTraining
      ? 'running'
      : stage?.kind === 'short'
        ? 'waits for workers'
        : isNow
          ? 'starting'
          : model.leftOut.value.has(run.key)
            ? 'left out'
            : 'to come';
  const bottleneck = outcome?.report?.bottleneck;
  return (
    <>
      <tr data-run={run.key} data-state={words} aria-current={isNow ? 'true' : undefined}>
        <th scope="row">
          <label class="pick" title="Draw its curve">
            <input
              type="checkbox"
              checked={!model.hidden.value.has(run.key)}
              onChange={(event) => model.draw(run.key, event.currentTarget.checked)}
            />
            <RunSwatch slot={slot} />
            {runName(run, repeats)}
          </label>
        </th>
        <td class={isShort ? 'number short' : 'number'} title={isShort ? 'More than are connected now' : undefined}>
          {count(workersOf(run.experiment))}
          {isShort && <span class="hidden"> (more than are connected)</span>}
        </td>
        <td class="number">{count(run.experiment.batch)}</td>
        <td class="state">{words}</td>
        <td class="number">{numbers.steps}</td>
        <td class="number">{numbers.time}</td>
        <td class="number">{numbers.loss}</td>
        <td class="number">{numbers.accuracy}</td>
        <td title={bottleneck?.sentence}>{bottleneck?.bound ?? NOTHING}</td>
      </tr>
      {outcome?.failure != null && (
        <tr class="failure">
          <td colSpan={9}>
            <span>{outcome.failure}</span>
          </td>
        </tr>
      )}
    </>
  );
}

const columns: readonly (readonly [string, string, string])[] = [
  ['Workers', 'number', 'That take part; others stay connected and wait'],
  ['Batch', 'number', 'Examples per worker and step'],
  ['State', '', 'How far it has come'],
  ['Steps', 'number', 'Updates of the parameters'],
  ['Time', 'number', 'Spent training'],
  ['Test loss', 'number', 'Of the last parameters'],
  ['Accuracy', 'number', 'On the test set, of the last parameters'],
  ['Bottleneck', '', 'What held the run up; the report has the numbers'],
];

/** Every run of the plan with what became of it, the one under way with its numbers of the moment. */
export function LabTable({ model, state }: { model: LabModel; state: HostState }) {
  const plan = model.plan.value;
  if (!plan.ok) return null;
  const { sweep } = model.lab.value ?? model.choice.value;
  const labels = [...new Set(plan.runs.map(({ label }) => label))];
  return (
    <section aria-label="Runs">
      <RunsHeading plan={plan} state={state} />
      <Scroll label="Runs">
        <table class="lab-runs">
          <thead>
            <tr>
              <th scope="col">Run</th>
              {columns.map(([name, kind, title]) => (
                <th key={name} scope="col" class={kind || undefined} title={title}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {plan.runs.map((run) => (
              <Row
                key={run.key}
                model={model}
                state={state}
                run={run}
                slot={labels.indexOf(run.label)}
                repeats={plan.repeats}
                hostTrains={sweep.hostTrains}
              />
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

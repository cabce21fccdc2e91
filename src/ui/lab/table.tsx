import type { Experiment } from '../../experiment/experiment.ts';
import type { HostState } from '../../host/state.ts';
import { tabsNeeded } from '../../lab/run-order.ts';
import { workersOf } from '../../lab/summary.ts';
import type { Sweep, SweepRun } from '../../lab/sweep.ts';
import { count, counted, duration, loss, NOTHING, percent } from '../../observe/format.ts';
import { Check } from '../parts/choice.tsx';
import { RunSwatch } from '../parts/run-swatch.tsx';
import { Scroll } from '../parts/scroll.tsx';
import { number, Table } from '../parts/table.tsx';
import { RunsHeading } from '../runs/runs-heading.tsx';
import { type LabModel, liveRun } from './model.ts';
import type { Plan } from './plan.ts';
import { tabsHere } from './tab-trainer.ts';
import { runName } from './words.ts';

interface RunProps {
  readonly model: LabModel;
  readonly state: HostState;
  readonly plan: Extract<Plan, { ok: true }>;
  readonly run: SweepRun;
}

/** How a run is drawn, and its name. */
function RunTitle({ plan, run }: Pick<RunProps, 'plan' | 'run'>) {
  const labels = [...new Set(plan.runs.map(({ label }) => label))];
  return (
    <>
      <RunSwatch slot={labels.indexOf(run.label)} />
      {runName(run, plan.repeats)}
    </>
  );
}

/** When a run ends, in a few words. */
function endWords({ untilLoss, maxSteps, epochs, minutes }: Experiment): string {
  const rules = [
    untilLoss === null ? null : `loss ≤ ${untilLoss}`,
    maxSteps === null ? null : counted(maxSteps, 'step'),
    epochs === null ? null : counted(epochs, 'epoch'),
    minutes === null ? null : `${minutes} min`,
  ];
  return rules.filter((rule) => rule !== null).join(' or ');
}

/** Where a run is computed. */
function whereWords(run: SweepRun, sweep: Sweep): string {
  const tabs = tabsNeeded(run, sweep);
  const isHere = tabs < workersOf(run.experiment);
  return [isHere ? 'this tab' : null, tabs > 0 ? counted(tabs, 'tab') : null].filter(Boolean).join(' + ');
}

/** What will be run if it is started: every run with its settings. */
export function LabPlan({ model, state }: { model: LabModel; state: HostState }) {
  const plan = model.plan.value;
  if (!plan.ok) return null;
  const isWanted = ({ key }: SweepRun) => !model.leftOut.value.has(key);
  const pick = (run: SweepRun) => (
    <Check
      title="Run it; what is left out can be run later"
      isOn={isWanted(run)}
      onChange={(isOn) => model.want(run.key, isOn)}
    >
      <RunTitle plan={plan} run={run} />
    </Check>
  );
  return (
    <section aria-label="Runs">
      <RunsHeading plan={plan} state={state} />
      <Table
        label="Runs"
        class="lab-plan"
        rows={plan.runs}
        keyOf={({ key }) => key}
        rowProps={(run) => ({ class: isWanted(run) ? undefined : 'left-out' })}
        columns={[
          { name: 'Run', isName: true, cell: pick },
          number('Workers', ({ experiment }: SweepRun) => count(workersOf(experiment))),
          number('Batch', ({ experiment }: SweepRun) => count(experiment.batch)),
          number('Rate', ({ experiment }: SweepRun) => experiment.lr),
          { name: 'Until', cell: ({ experiment }) => endWords(experiment) },
          { name: 'Where', cell: (run) => whereWords(run, model.choice.value.sweep) },
        ]}
      />
    </section>
  );
}

const columns = [
  ['Run', ''],
  ['Workers', 'number', 'That take part; others stay connected and wait'],
  ['Batch', 'number', 'Examples per worker and step'],
  ['State', '', 'How far it has come'],
  ['Steps', 'number', 'Updates of the parameters'],
  ['Time', 'number', 'Spent training'],
  ['Test loss', 'number', 'Of the last parameters'],
  ['Accuracy', 'number', 'On the test set, of the last parameters'],
  ['Bottleneck', '', 'What held the run up; the report has the numbers'],
] as const;

/** Steps, time, test loss and accuracy of a run: what was reported, or the numbers of the moment. */
function numbersOf({ model, state, run: { key } }: RunProps, isTraining: boolean): readonly string[] {
  const report = model.outcomes.value.get(key)?.report;
  if (report) {
    const { steps, wallSeconds, testLoss, testAccuracy } = report;
    return [count(steps), duration(wallSeconds * 1000), loss(testLoss), percent(testAccuracy)];
  }
  if (!isTraining || state.run === null) return [NOTHING, NOTHING, NOTHING, NOTHING];
  const test = model.deps.host.log?.test.at(-1);
  return [count(state.run.version), duration(state.run.elapsedMs), loss(test?.loss), percent(test?.accuracy)];
}

function stateWords({ model, run: { key } }: RunProps, isNow: boolean, isTraining: boolean): string {
  const outcome = model.outcomes.value.get(key);
  if (outcome) return outcome.failure === null ? 'done' : 'failed';
  if (isTraining) return 'running';
  if (isNow) return model.stage.value?.kind === 'short' ? 'waits for workers' : 'starting';
  return model.leftOut.value.has(key) ? 'left out' : 'to come';
}

function Row(props: RunProps) {
  const { model, state, plan, run } = props;
  const outcome = model.outcomes.value.get(run.key);
  const isNow = model.progress.value?.run?.key === run.key;
  const isTraining = isNow && liveRun(model, state) !== null;
  const { sweep } = model.lab.value ?? model.choice.value;
  const isShort = !outcome && !isTraining && tabsNeeded(run, sweep) > tabsHere(state);
  const words = stateWords(props, isNow, isTraining);
  const bottleneck = outcome?.report?.bottleneck;
  return (
    <>
      <tr data-run={run.key} data-state={words} aria-current={isNow ? 'true' : undefined}>
        <th scope="row">
          <Check
            title="Draw its curve"
            isOn={!model.hidden.value.has(run.key)}
            onChange={(isOn) => model.draw(run.key, isOn)}
          >
            <RunTitle plan={plan} run={run} />
          </Check>
        </th>
        <td class={isShort ? 'number short' : 'number'} title={isShort ? 'More than are connected now' : undefined}>
          {count(workersOf(run.experiment))}
          {isShort && <span class="hidden"> (more than are connected)</span>}
        </td>
        <td class="number">{count(run.experiment.batch)}</td>
        <td class="state">{words}</td>
        {numbersOf(props, isTraining).map((number, at) => (
          <td key={at} class="number">
            {number}
          </td>
        ))}
        <td title={bottleneck?.sentence}>{bottleneck?.bound ?? NOTHING}</td>
      </tr>
      {outcome?.failure != null && (
        <tr class="failure">
          <td colSpan={columns.length}>
            <span>{outcome.failure}</span>
          </td>
        </tr>
      )}
    </>
  );
}

/** Every run of the plan with what became of it, the one under way with its numbers of the moment. */
export function LabTable({ model, state }: { model: LabModel; state: HostState }) {
  const plan = model.plan.value;
  if (!plan.ok) return null;
  return (
    <section aria-label="Runs">
      <RunsHeading plan={plan} state={state} />
      <Scroll label="Runs">
        <table class="lab-runs">
          <thead>
            <tr>
              {columns.map(([name, kind, title]) => (
                <th key={name} scope="col" class={kind || undefined} title={title}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {plan.runs.map((run) => (
              <Row key={run.key} model={model} state={state} plan={plan} run={run} />
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

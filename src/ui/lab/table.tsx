import type { Experiment } from '../../experiment/experiment.ts';
import type { HostState } from '../../host/state.ts';
import { tabsNeeded } from '../../lab/run-order.ts';
import { workersOf } from '../../lab/summary.ts';
import type { SweepRun } from '../../lab/sweep.ts';
import { RunSwatch } from '../parts/run-swatch.tsx';
import { Scroll } from '../parts/scroll.tsx';
import { RunsHeading } from '../runs/runs-heading.tsx';
import { count, counted, duration, loss, NOTHING, percent } from '../words/format.ts';
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

interface PickProps extends RunProps {
  readonly hint: string;
  readonly isPicked: boolean;
  onPick(isPicked: boolean): void;
}

/** A run's name, with a box to pick it and the way it is drawn. */
function RunPick({ plan, run, hint, isPicked, onPick }: PickProps) {
  const labels = [...new Set(plan.runs.map(({ label }) => label))];
  return (
    <th scope="row">
      <label class="pick" title={hint}>
        <input type="checkbox" checked={isPicked} onChange={(event) => onPick(event.currentTarget.checked)} />
        <RunSwatch slot={labels.indexOf(run.label)} />
        {runName(run, plan.repeats)}
      </label>
    </th>
  );
}

type Column = readonly [name: string, kind: string, title?: string];

const Head = ({ columns }: { columns: readonly Column[] }) => (
  <thead>
    <tr>
      {columns.map(([name, kind, title]) => (
        <th key={name} scope="col" class={kind || undefined} title={title}>
          {name}
        </th>
      ))}
    </tr>
  </thead>
);

const planColumns: readonly Column[] = [
  ['Run', ''],
  ['Workers', 'number'],
  ['Batch', 'number'],
  ['Rate', 'number'],
  ['Until', ''],
  ['Where', ''],
];

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

function PlanRow(props: RunProps) {
  const { model, run } = props;
  const { experiment, key } = run;
  const isWanted = !model.leftOut.value.has(key);
  const tabs = tabsNeeded(run, model.choice.value.sweep);
  const isHere = tabs < workersOf(experiment);
  return (
    <tr class={isWanted ? undefined : 'left-out'}>
      <RunPick
        {...props}
        hint="Run it; what is left out can be run later"
        isPicked={isWanted}
        onPick={(isPicked) => model.want(key, isPicked)}
      />
      <td class="number">{count(workersOf(experiment))}</td>
      <td class="number">{count(experiment.batch)}</td>
      <td class="number">{experiment.lr}</td>
      <td>{endWords(experiment)}</td>
      <td>{[isHere ? 'this tab' : null, tabs > 0 ? counted(tabs, 'tab') : null].filter(Boolean).join(' + ')}</td>
    </tr>
  );
}

/** What will be run if it is started: every run with its settings. */
export function LabPlan({ model, state }: { model: LabModel; state: HostState }) {
  const plan = model.plan.value;
  if (!plan.ok) return null;
  return (
    <section aria-label="Runs">
      <RunsHeading plan={plan} state={state} />
      <table class="lab-plan">
        <Head columns={planColumns} />
        <tbody>
          {plan.runs.map((run) => (
            <PlanRow key={run.key} model={model} state={state} plan={plan} run={run} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

const columns: readonly Column[] = [
  ['Run', ''],
  ['Workers', 'number', 'That take part; others stay connected and wait'],
  ['Batch', 'number', 'Examples per worker and step'],
  ['State', '', 'How far it has come'],
  ['Steps', 'number', 'Updates of the parameters'],
  ['Time', 'number', 'Spent training'],
  ['Test loss', 'number', 'Of the last parameters'],
  ['Accuracy', 'number', 'On the test set, of the last parameters'],
  ['Bottleneck', '', 'What held the run up; the report has the numbers'],
];

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
  const { model, state, run } = props;
  const outcome = model.outcomes.value.get(run.key);
  const isNow = model.progress.value?.run?.key === run.key;
  const isTraining = isNow && liveRun(model, state) !== null;
  const { sweep } = model.lab.value ?? model.choice.value;
  const isShort = !outcome && !isTraining && tabsNeeded(run, sweep) > tabsHere(state);
  const words = stateWords(props, isNow, isTraining);
  const verdict = outcome?.report?.verdict ?? null;
  return (
    <>
      <tr data-run={run.key} data-state={words} aria-current={isNow ? 'true' : undefined}>
        <RunPick
          {...props}
          hint="Draw its curve"
          isPicked={!model.hidden.value.has(run.key)}
          onPick={(isPicked) => model.draw(run.key, isPicked)}
        />
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
        <td title={verdict?.sentence}>{verdict?.bound ?? NOTHING}</td>
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
          <Head columns={columns} />
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

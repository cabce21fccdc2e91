import type { Experiment } from '../../experiment/experiment.ts';
import type { HostState } from '../../host/state.ts';
import { workersOf } from '../../lab/summary.ts';
import { count, counted } from '../../observe/format.ts';
import { RunSwatch } from '../parts/run-swatch.tsx';
import { RunsHeading } from '../runs/runs-heading.tsx';
import type { LabModel } from './model.ts';
import { tabsNeeded } from './run.ts';
import { runName } from './words.ts';

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

/** What will be run if it is started: every run with its settings. */
export function LabPlan({ model, state }: { model: LabModel; state: HostState }) {
  const plan = model.plan.value;
  if (!plan.ok) return null;
  const { hostTrains } = model.choice.value.sweep;
  const labels = [...new Set(plan.runs.map(({ label }) => label))];
  return (
    <section aria-label="Runs">
      <RunsHeading plan={plan} state={state} />
      <table class="lab-plan">
        <thead>
          <tr>
            <th scope="col">Run</th>
            {['Workers', 'Batch', 'Rate'].map((name) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
            <th scope="col">Until</th>
            <th scope="col">Where</th>
          </tr>
        </thead>
        <tbody>
          {plan.runs.map((run) => {
            const tabs = tabsNeeded(run, hostTrains);
            const isHere = tabs < workersOf(run.experiment);
            return (
              <tr key={run.key} class={model.leftOut.value.has(run.key) ? 'left-out' : undefined}>
                <th scope="row">
                  <label class="pick" title="Run it; what is left out can be run later">
                    <input
                      type="checkbox"
                      checked={!model.leftOut.value.has(run.key)}
                      onChange={(event) => model.want(run.key, event.currentTarget.checked)}
                    />
                    <RunSwatch slot={labels.indexOf(run.label)} />
                    {runName(run, plan.repeats)}
                  </label>
                </th>
                <td class="number">{count(workersOf(run.experiment))}</td>
                <td class="number">{count(run.experiment.batch)}</td>
                <td class="number">{run.experiment.lr}</td>
                <td>{endWords(run.experiment)}</td>
                <td>
                  {[isHere ? 'this tab' : null, tabs > 0 ? counted(tabs, 'tab') : null].filter(Boolean).join(' + ')}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

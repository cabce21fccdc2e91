import './experiment-form.css';
import { dataTitles, modelTitles } from '../../models/plan.ts';
import { FileChooser } from '../host/file-chooser.tsx';
import type { HostModel } from '../host/model.ts';
import { CodecForm } from './codec-form.tsx';
import { EmulationForm } from './emulation-form.tsx';
import { stopRules } from './experiment-draft.ts';
import { NumberRow, SelectRow, SwitchRow } from './form-fields.tsx';
import { StrategyForm } from './strategy-form.tsx';
import { TrustForm } from './trust-form.tsx';

const optimizers = { sgd: 'SGD', momentum: 'SGD with momentum', adam: 'Adam', adagrad: 'Adagrad', ftrl: 'FTRL' };
const stops = { untilLoss: 'Test loss ≤', maxSteps: 'Steps', epochs: 'Epochs', minutes: 'Minutes' } as const;
const stopKeys = Object.keys(stopRules) as (keyof typeof stopRules)[];

/** For the run that would start, or for an interrupted one to go on. */
function needsFile(model: HostModel): boolean {
  const { run, resumable } = model.state.value;
  return model.draft.value.texts.data === 'file' || (run === null && resumable?.experiment.data === 'file');
}

/** All settings of the experiment; locked while a run goes on. */
export function ExperimentForm({ model }: { model: HostModel }) {
  const { off } = model.draft.value;
  const isLocked = model.isLocked.value;
  return (
    <form class="experiment" aria-label="Experiment" onSubmit={(event) => event.preventDefault()}>
      <fieldset disabled={isLocked} title={isLocked ? 'Locked while the run goes on' : undefined}>
        <h2>Experiment</h2>
        <SelectRow model={model} name="model" label="Model" options={modelTitles} />
        <SelectRow model={model} name="data" label="Data" options={dataTitles} />
        {needsFile(model) && <FileChooser model={model} />}
        <NumberRow model={model} name="features" label="Features" title="One parameter for each" />
        <NumberRow model={model} name="examples" label="Examples" title="Generated for each epoch" />
        <h2>Together</h2>
        <StrategyForm model={model} />
        <h2>Each step</h2>
        <NumberRow model={model} name="batch" label="Batch size" title="Examples per worker and step" />
        <NumberRow model={model} name="lr" label="Learning rate" />
        <SelectRow model={model} name="optimizer" label="Optimizer" options={optimizers} />
        <NumberRow model={model} name="l1" label="L1" title="What sums of gradients must exceed to count" />
        <NumberRow model={model} name="l2" label="L2" title="How strongly parameters are drawn to zero" />
        <h2>Stop at the first of</h2>
        {stopKeys.map((key) => (
          <SwitchRow key={key} model={model} name={key} label={stops[key]} as={`Stop: ${stops[key]}`} />
        ))}
        {stopKeys.every((key) => off[key]) && <p class="aside">No rule is on: it trains until you press Finish.</p>}
        <h2>Measured</h2>
        <NumberRow
          model={model}
          name="evalEvery"
          label="Test every … steps"
          title="Steps between two looks at the test set"
        />
        <NumberRow model={model} name="seed" label="Seed" title="The same seed deals and shuffles the same way" />
        <CodecForm model={model} />
        <TrustForm model={model} />
        <EmulationForm model={model} />
      </fieldset>
    </form>
  );
}

import './experiment-form.css';
import { stopKeys } from '../../experiment/settings.ts';
import { FileChooser } from '../host/file-chooser.tsx';
import type { HostModel } from '../host/model.ts';
import { CodecForm } from './codec-form.tsx';
import { EmulationForm } from './emulation-form.tsx';
import { SectionRows } from './form-fields.tsx';
import { StrategyForm } from './strategy-form.tsx';
import { TrustForm } from './trust-form.tsx';

/** For the run that would start, or for an interrupted one to go on. */
function needsFile(model: HostModel): boolean {
  const { run, resumable } = model.state.value;
  return model.draft.value.texts.data === 'file' || (run === null && resumable?.experiment.data === 'file');
}

/** All settings of the experiment; locked while a run goes on. */
export function ExperimentForm({ model }: { model: HostModel }) {
  const { form } = model;
  const isLocked = model.isLocked.value;
  return (
    <form class="experiment" aria-label="Experiment" onSubmit={(event) => event.preventDefault()}>
      <fieldset disabled={isLocked} title={isLocked ? 'Locked while the run goes on' : undefined}>
        <h2>Experiment</h2>
        <SectionRows form={form} section="task" />
        {needsFile(model) && <FileChooser model={model} />}
        <h2>How workers cooperate</h2>
        <StrategyForm form={form} />
        <h2>Each step</h2>
        <SectionRows form={form} section="step" />
        <h2>Stop at the first of</h2>
        <SectionRows form={form} section="stop" />
        {stopKeys.every((key) => form.draft.value.off.has(key)) && (
          <p class="aside">No rule is on: it trains until you press Finish.</p>
        )}
        <h2>Measured</h2>
        <SectionRows form={form} section="measure" />
        <CodecForm model={model} />
        <TrustForm form={form} />
        <EmulationForm form={form} />
      </fieldset>
    </form>
  );
}

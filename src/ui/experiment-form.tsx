import type { ComponentChildren } from 'preact';
import type { ExperimentKey, StrategyName } from '../core/config.ts';
import { dataSpecs } from '../models/data.ts';
import { models } from '../models/model.ts';
import { type NumberKey, numberFields, type StopKey } from './experiment-draft.ts';
import type { HostModel } from './host-model.ts';
import { strategyWords } from './words.ts';

const strategies = ['single', 'sync', 'async'] as const satisfies readonly StrategyName[];
const optimizers = { sgd: 'SGD', momentum: 'SGD with momentum', adam: 'Adam' };

function setText(model: HostModel, key: ExperimentKey, text: string): void {
  model.draft.value = { ...model.draft.value, texts: { ...model.draft.value.texts, [key]: text } };
}

function setOff(model: HostModel, key: StopKey, isOff: boolean): void {
  model.draft.value = { ...model.draft.value, off: { ...model.draft.value.off, [key]: isOff } };
}

interface FieldProps {
  readonly model: HostModel;
  readonly label: string;
  readonly title?: string;
}

const problemOf = (model: HostModel, key: ExperimentKey) =>
  model.reading.value.ok ? undefined : model.reading.value.problems[key];

function Problem({ model, name }: { model: HostModel; name: ExperimentKey }) {
  const problem = problemOf(model, name);
  return problem === undefined ? null : (
    <p class="problem" id={`${name}-problem`}>
      {problem}
    </p>
  );
}

function Row({
  model,
  name,
  label,
  title,
  children,
}: FieldProps & { name: ExperimentKey; children: ComponentChildren }) {
  return (
    <div class="row" title={title}>
      <label for={`field-${name}`}>{label}</label>
      {children}
      <Problem model={model} name={name} />
    </div>
  );
}

interface NumberProps {
  readonly model: HostModel;
  readonly name: NumberKey;
  readonly isOff: boolean;
  /** Where no label element names the input. */
  readonly label?: string;
}

function NumberInput({ model, name, isOff, label }: NumberProps) {
  const isBad = problemOf(model, name) !== undefined;
  return (
    <input
      id={`field-${name}`}
      name={name}
      type="text"
      inputMode={numberFields[name].isWhole ? 'numeric' : 'decimal'}
      autocomplete="off"
      disabled={isOff}
      value={model.draft.value.texts[name]}
      aria-label={label}
      aria-invalid={isBad}
      aria-describedby={isBad ? `${name}-problem` : undefined}
      onInput={(event) => setText(model, name, event.currentTarget.value)}
    />
  );
}

function NumberRow(props: FieldProps & { name: NumberKey; isOff?: boolean }) {
  return (
    <Row {...props}>
      <NumberInput model={props.model} name={props.name} isOff={props.isOff ?? false} />
    </Row>
  );
}

function SelectRow(props: FieldProps & { name: 'model' | 'data' | 'optimizer'; options: Record<string, string> }) {
  const { model, name, options } = props;
  const value = model.draft.value.texts[name];
  return (
    <Row {...props}>
      <select
        id={`field-${name}`}
        name={name}
        value={value}
        aria-invalid={problemOf(model, name) !== undefined}
        onChange={(event) => setText(model, name, event.currentTarget.value)}
      >
        {!Object.hasOwn(options, value) && <option value={value}>{value}</option>}
        {Object.entries(options).map(([key, title]) => (
          <option key={key} value={key}>
            {title}
          </option>
        ))}
      </select>
    </Row>
  );
}

function StopRow({ model, name, label }: FieldProps & { name: StopKey }) {
  const isOff = model.draft.value.off[name];
  return (
    <div class="row">
      <label class="rule">
        <input
          type="checkbox"
          checked={!isOff}
          onChange={(event) => setOff(model, name, !event.currentTarget.checked)}
        />
        {label}
      </label>
      <NumberInput model={model} name={name} isOff={isOff} label={`Stop: ${label}`} />
      <Problem model={model} name={name} />
    </div>
  );
}

function Strategies({ model }: { model: HostModel }) {
  return (
    <div role="radiogroup" aria-label="Strategy">
      {strategies.map((strategy) => (
        <label key={strategy} class="strategy">
          <input
            type="radio"
            name="strategy"
            value={strategy}
            checked={model.draft.value.texts.strategy === strategy}
            onChange={() => setText(model, 'strategy', strategy)}
          />
          <span>
            <b>{strategy}</b> {strategyWords(strategy)}
          </span>
        </label>
      ))}
    </div>
  );
}

/** All settings of the experiment; locked while a run goes on. */
export function ExperimentForm({ model }: { model: HostModel }) {
  const { texts, off } = model.draft.value;
  const titles = (things: Record<string, { title: string }>) =>
    Object.fromEntries(Object.entries(things).map(([name, { title }]) => [name, title]));
  const isEndless = Object.values(off).every(Boolean);
  return (
    <form class="experiment" aria-label="Experiment" onSubmit={(event) => event.preventDefault()}>
      <fieldset
        disabled={model.isLocked.value}
        title={model.isLocked.value ? 'Locked while the run goes on' : undefined}
      >
        <h2>Experiment</h2>
        <SelectRow model={model} name="model" label="Model" options={titles(models)} />
        <SelectRow model={model} name="data" label="Data" options={titles(dataSpecs)} />
        <h2>Together</h2>
        <Strategies model={model} />
        <NumberRow
          model={model}
          name="workers"
          label="Workers needed"
          title="Training starts when this many are ready; more can join later"
          isOff={texts.strategy === 'single'}
        />
        <NumberRow
          model={model}
          name="backup"
          label="Backup workers"
          title="Sync only: a round goes on without its slowest ones"
          isOff={texts.strategy !== 'sync'}
        />
        <h2>Each step</h2>
        <NumberRow model={model} name="batch" label="Batch size" title="Examples per worker and step" />
        <NumberRow model={model} name="lr" label="Learning rate" />
        <SelectRow model={model} name="optimizer" label="Optimizer" options={optimizers} />
        <h2>Stop at the first of</h2>
        <StopRow model={model} name="untilLoss" label="Test loss ≤" />
        <StopRow model={model} name="maxSteps" label="Steps" />
        <StopRow model={model} name="epochs" label="Epochs" />
        <StopRow model={model} name="minutes" label="Minutes" />
        {isEndless && <p class="aside">No rule is on: it trains until you press Finish.</p>}
        <h2>Measured</h2>
        <NumberRow
          model={model}
          name="evalEvery"
          label="Test every … steps"
          title="Steps between two looks at the test set"
        />
        <NumberRow model={model} name="seed" label="Seed" title="The same seed deals and shuffles the same way" />
      </fieldset>
    </form>
  );
}

import { downNames, upNames } from '../../experiment/experiment.ts';
import { comparable, type ScenarioKey } from '../../simulate/scenario.ts';
import { RunSwatch } from '../parts/run-swatch.tsx';
import { strategyWords } from '../words/words.ts';
import type { SimulateModel } from './model.ts';

interface Field {
  readonly key: ScenarioKey;
  readonly label: string;
  readonly title: string;
}

const machines: readonly Field[] = [
  { key: 'workers', label: 'Workers', title: 'Up to 1,000' },
  { key: 'compute', label: 'One step takes, ms', title: 'On a typical worker' },
  { key: 'spread', label: 'Spread', title: 'How unlike workers are; 0: all the same' },
  { key: 'stragglers', label: 'Share of stragglers', title: 'From 0 to 1' },
  { key: 'slowdown', label: '… times slower', title: 'Than they would be' },
  { key: 'churn', label: 'Leave per minute', title: 'For each that leaves another one comes' },
];

const links: readonly Field[] = [
  { key: 'latency', label: 'Latency, ms', title: 'One way, of a typical worker' },
  { key: 'bandwidth', label: 'Bandwidth, Mbit/s', title: 'Each way, of a typical worker' },
  { key: 'hostBandwidth', label: 'Host’s, Mbit/s', title: 'Each way, shared by all' },
  { key: 'parameters', label: 'Numbers in the model', title: 'LeNet has 61,706, softmax on MNIST 7,850' },
];

const training: readonly Field[] = [
  { key: 'minutes', label: 'Minutes', title: 'Of virtual time, at most' },
  { key: 'untilLoss', label: 'Until test loss', title: 'Empty: until the time is over' },
  { key: 'batch', label: 'Batch size', title: 'Examples per worker and step' },
  { key: 'lr', label: 'Learning rate', title: 'Of every strategy' },
  { key: 'localSteps', label: 'Local steps', title: 'local: steps between two exchanges' },
  { key: 'backup', label: 'Backup workers', title: 'sync and local: a round goes on without its slowest ones' },
  { key: 'lead', label: 'Lead', title: 'bounded: how many steps one may be ahead of the slowest' },
  { key: 'seed', label: 'Seed', title: 'The same seed gives the same curves' },
];

const problemOf = (model: SimulateModel, key: string) => {
  const reading = model.reading.value;
  return reading.ok ? undefined : reading.problems.get(key);
};

function Problem({ model, name }: { model: SimulateModel; name: string }) {
  const problem = problemOf(model, name);
  return problem === undefined ? null : (
    <p class="problem" id={`${name}-problem`}>
      {problem}
    </p>
  );
}

function NumberRow({ model, field: { key, label, title } }: { model: SimulateModel; field: Field }) {
  const isBad = problemOf(model, key) !== undefined;
  return (
    <div class="row" title={title}>
      <label for={`field-${key}`}>{label}</label>
      <input
        id={`field-${key}`}
        name={key}
        type="text"
        inputMode="decimal"
        autocomplete="off"
        value={model.draft.value.texts[key]}
        aria-invalid={isBad}
        aria-describedby={isBad ? `${key}-problem` : `${key}-hint`}
        onInput={(event) => model.setText(key, event.currentTarget.value)}
      />
      <span class="hint" id={`${key}-hint`}>
        {title}
      </span>
      <Problem model={model} name={key} />
    </div>
  );
}

function CodecRow(props: { model: SimulateModel; name: 'up' | 'down'; label: string; options: readonly string[] }) {
  const { model, name, label, options } = props;
  return (
    <div class="row">
      <label for={`field-${name}`}>{label}</label>
      <select
        id={`field-${name}`}
        name={name}
        value={model.draft.value.texts[name]}
        onChange={(event) => model.setText(name, event.currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    </div>
  );
}

function Strategies({ model }: { model: SimulateModel }) {
  return (
    <fieldset aria-label="Strategies">
      {comparable.map((strategy, slot) => (
        <label key={strategy} class="choice">
          <input
            type="checkbox"
            name="strategy"
            value={strategy}
            checked={model.draft.value.strategies.includes(strategy)}
            onChange={(event) => model.choose(strategy, event.currentTarget.checked)}
          />
          <span>
            <b>
              {strategy} <RunSwatch slot={slot} />
            </b>{' '}
            {strategyWords(strategy)}
          </span>
        </label>
      ))}
      <Problem model={model} name="strategy" />
    </fieldset>
  );
}

/** All that can be chosen; Enter in a field simulates. */
export function SimulateForm({ model }: { model: SimulateModel }) {
  const rows = (fields: readonly Field[]) =>
    fields.map((field) => <NumberRow key={field.key} model={model} field={field} />);
  return (
    <form
      class="experiment"
      aria-label="What is simulated"
      onSubmit={(event) => {
        event.preventDefault();
        model.start();
      }}
    >
      <h2>Machines</h2>
      {rows(machines)}
      <h2>Links</h2>
      {rows(links)}
      <CodecRow model={model} name="up" label="Gradients travel as" options={upNames} />
      <CodecRow model={model} name="down" label="Parameters as" options={downNames} />
      <h2>Together</h2>
      <Strategies model={model} />
      <h2>Training</h2>
      {rows(training)}
      <button type="submit" class="hidden" tabIndex={-1}>
        Simulate
      </button>
    </form>
  );
}

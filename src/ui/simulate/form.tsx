import { Fragment } from 'preact';
import { comparable } from '../../simulate/scenario.ts';
import { Problem, SectionRows } from '../form/form-fields.tsx';
import { RunSwatch } from '../parts/run-swatch.tsx';
import { strategyWords } from '../words/words.ts';
import type { SimulateModel } from './model.ts';

function Strategies({ model }: { model: SimulateModel }) {
  return (
    <fieldset aria-label="Strategies">
      {comparable.map((strategy, slot) => (
        <label key={strategy} class="choice">
          <input
            type="checkbox"
            name="strategy"
            value={strategy}
            checked={model.strategies.value.includes(strategy)}
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
      <Problem form={model.form} name="strategies" />
    </fieldset>
  );
}

/** Sections of the table with what they are called here, before and after the strategies. */
const world = { machines: 'Machines', links: 'Links', wire: 'On the wire', server: 'Server' };
const training = { strategy: 'Settings of strategies', step: 'Each step', stop: 'Until', measure: 'Chance' };

/** All that can be chosen; Enter in a field simulates. */
export function SimulateForm({ model }: { model: SimulateModel }) {
  const sections = (titles: Readonly<Record<string, string>>) =>
    Object.entries(titles).map(([section, title]) => (
      <Fragment key={section}>
        <h2>{title}</h2>
        <SectionRows form={model.form} section={section} />
      </Fragment>
    ));
  return (
    <form
      class="experiment"
      aria-label="What is simulated"
      onSubmit={(event) => {
        event.preventDefault();
        model.start();
      }}
    >
      {sections(world)}
      <h2>Strategies to compare</h2>
      <Strategies model={model} />
      {sections(training)}
      <button type="submit" class="hidden" tabIndex={-1}>
        Simulate
      </button>
    </form>
  );
}

import { type StrategyName, strategyNames } from '../../experiment/experiment.ts';
import { settings } from '../../experiment/settings.ts';
import { strategyAdvice } from '../words/strategy-words.ts';
import { strategyWords } from '../words/words.ts';
import { type Form, Problem, SettingRow, setText } from './form-fields.tsx';

function Strategy({ form, strategy }: { form: Form; strategy: StrategyName }) {
  const isChosen = form.draft.value.texts.strategy === strategy;
  return (
    <label class="choice">
      <input
        type="radio"
        name="strategy"
        value={strategy}
        checked={isChosen}
        onChange={() => setText(form, 'strategy', strategy)}
      />
      <span>
        <b>{settings.strategy.choices[strategy]}</b> {strategyWords(strategy)}
      </span>
      {isChosen && <span class="advice">{strategyAdvice[strategy]}</span>}
    </label>
  );
}

const others = Object.entries(settings).filter(([key, { section }]) => section === 'strategy' && key !== 'strategy');

/** How workers train together: one of the strategies, and below only what belongs to it. */
export function StrategyForm({ form }: { form: Form }) {
  return (
    <>
      <div role="radiogroup" aria-label="Strategy">
        {strategyNames.map((strategy) => (
          <Strategy key={strategy} form={form} strategy={strategy} />
        ))}
      </div>
      <Problem form={form} name="strategy" />
      <p class="aside elsewhere">
        <a href="#simulate" target="_blank" rel="noopener">
          Compare them on made-up machines
        </a>
      </p>
      {others.map(([key]) => (
        <SettingRow key={key} form={form} name={key} />
      ))}
    </>
  );
}

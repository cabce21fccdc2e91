import { type StrategyName, strategyNames } from '../../experiment/experiment.ts';
import type { HostModel } from '../host/model.ts';
import { strategyAdvice, strategyTitles } from '../words/strategy-words.ts';
import { strategyWords } from '../words/words.ts';
import { CheckRow, NumberRow, Problem, SelectRow, SwitchRow, setText } from './form-fields.tsx';

const outers = { nesterov: 'Momentum', average: 'Plain average' };

function Strategy({ model, strategy }: { model: HostModel; strategy: StrategyName }) {
  const isChosen = model.draft.value.texts.strategy === strategy;
  return (
    <label class="choice">
      <input
        type="radio"
        name="strategy"
        value={strategy}
        checked={isChosen}
        onChange={() => setText(model, 'strategy', strategy)}
      />
      <span>
        <b>{strategyTitles[strategy]}</b> {strategyWords(strategy)}
      </span>
      {isChosen && <span class="advice">{strategyAdvice[strategy]}</span>}
    </label>
  );
}

/** How workers train together: one of the strategies, and below only what belongs to it. */
export function StrategyForm({ model }: { model: HostModel }) {
  return (
    <>
      <div role="radiogroup" aria-label="Strategy">
        {strategyNames.map((strategy) => (
          <Strategy key={strategy} model={model} strategy={strategy} />
        ))}
      </div>
      <Problem model={model} name="strategy" />
      <p class="aside elsewhere">
        <a href="#simulate" target="_blank" rel="noopener">
          Compare them on made-up machines
        </a>
      </p>
      <NumberRow
        model={model}
        name="workers"
        label="Workers needed"
        title="Training starts when this many are ready; more can join later"
      />
      <NumberRow
        model={model}
        name="localSteps"
        label="Steps before meeting"
        title="Steps each takes on its own before all exchange what they learned"
      />
      <SelectRow
        model={model}
        name="outer"
        label="Combine by"
        title="What the host does with the workers' mean way: go it, or let it gather Nesterov momentum over rounds, as in DiLoCo"
        options={outers}
      />
      <SwitchRow
        model={model}
        name="outerLr"
        label="Outer learning rate"
        title="How far the host goes along the workers' mean way; off: 1 for the average, 0.7 with momentum"
      />
      <NumberRow
        model={model}
        name="lead"
        label="Steps ahead, at most"
        title="Who is this many steps ahead waits for the slowest worker"
      />
      <NumberRow
        model={model}
        name="backup"
        label="Backup workers"
        title="A round goes on without its slowest ones: this many"
      />
      <SwitchRow
        model={model}
        name="deadline"
        label="Round limit, s"
        as="Seconds after which a round goes on without the missing"
        title="Seconds after which a round goes on with those who have delivered; off: four times as long as usual"
      />
      <SwitchRow
        model={model}
        name="maxStaleness"
        label="Ignore older than"
        as="Ignore gradients that are older than this many updates"
        title="In updates: a gradient is ignored when more than this many were made since its parameters were sent"
      />
      <CheckRow
        model={model}
        name="damping"
        label="Old gradients count less"
        title="The learning rate is divided by 1 + the number of updates made meanwhile"
      />
      <CheckRow
        model={model}
        name="overlap"
        label="Compute while sending"
        title="A worker computes its next step while its last gradient is on the way: faster, and one update older"
      />
    </>
  );
}

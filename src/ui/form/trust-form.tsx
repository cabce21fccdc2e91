import { aggregateNames } from '../../experiment/experiment.ts';
import type { HostModel } from '../host/model.ts';
import { counted } from '../words/format.ts';
import { aggregateWords } from '../words/strategy-words.ts';
import { isAsked } from './experiment-draft.ts';
import { Group, NumberRow, Problem, setText } from './form-fields.tsx';

/** The most liars that can be outvoted, where that is known. */
function outvotedWords(workers: number): string | null {
  if (!(workers >= 1)) return null;
  const most = Math.floor((workers - 1) / 2);
  const who = counted(workers, 'worker');
  return most === 0
    ? `With ${who} nobody can be outvoted: three are the least.`
    : `With ${who}, ${most} can be outvoted.`;
}

/** How a round's gradients become one step, where there are rounds at the host. */
export function TrustForm({ model }: { model: HostModel }) {
  const { texts } = model.draft.value;
  if (!isAsked(model.draft.value, 'aggregate')) return null;
  const chosen = aggregateNames.find((name) => name === texts.aggregate);
  return (
    <Group
      model={model}
      title="Whom to trust"
      gist={chosen === undefined || chosen === 'mean' ? 'everyone: mean' : aggregateWords[chosen].title}
      keys={['aggregate', 'faulty']}
    >
      <div role="radiogroup" aria-label="How gradients are combined">
        {aggregateNames.map((aggregate) => (
          <label key={aggregate} class="choice">
            <input
              type="radio"
              name="aggregate"
              value={aggregate}
              checked={texts.aggregate === aggregate}
              onChange={() => setText(model, 'aggregate', aggregate)}
            />
            <span>
              <b>{aggregateWords[aggregate].title}</b> {aggregateWords[aggregate].text}
            </span>
          </label>
        ))}
      </div>
      <Problem model={model} name="aggregate" />
      <NumberRow
        model={model}
        name="faulty"
        label="How many may lie"
        title="Workers of a round that may send nonsense or worse"
      />
      {chosen !== 'mean' && <p class="aside">{outvotedWords(Number(texts.workers))}</p>}
    </Group>
  );
}

import { aggregateNames } from '../../experiment/experiment.ts';
import { settings } from '../../experiment/settings.ts';
import { counted } from '../../observe/format.ts';
import { aggregateWords } from '../words/strategy-words.ts';
import { isUnusual } from './experiment-draft.ts';
import { type Form, Group, Problem, SettingRow, setText } from './form-fields.tsx';

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
export function TrustForm({ form }: { form: Form }) {
  const { texts } = form.draft.value;
  if (!form.isAsked('aggregate')) return null;
  const chosen = aggregateNames.find((name) => name === texts.aggregate);
  return (
    <Group
      title="Protection against bad workers"
      summary={chosen === undefined || chosen === 'mean' ? 'none' : settings.aggregate.choices[chosen]}
      isUnusual={isUnusual(form.draft.value, ['aggregate', 'faulty'])}
    >
      <div role="radiogroup" aria-label="How gradients are combined">
        {aggregateNames.map((aggregate) => (
          <label key={aggregate} class="choice">
            <input
              type="radio"
              name="aggregate"
              value={aggregate}
              checked={texts.aggregate === aggregate}
              onChange={() => setText(form, 'aggregate', aggregate)}
            />
            <span>
              <b>{settings.aggregate.choices[aggregate]}</b> {aggregateWords[aggregate]}
            </span>
          </label>
        ))}
      </div>
      <Problem form={form} name="aggregate" />
      <SettingRow form={form} name="faulty" />
      {chosen !== 'mean' && <p class="aside">{outvotedWords(Number(texts.workers))}</p>}
    </Group>
  );
}

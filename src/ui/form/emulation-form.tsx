import './emulation-form.css';
import { useSignal } from '@preact/signals';
import { counted } from '../../observe/format.ts';
import { emptyRule, type RuleDraft, rulesOf, ruleText } from './emulation-rule.ts';
import { isUnusual } from './experiment-draft.ts';
import { type Form, Group, Problem, problemProps, setText } from './form-fields.tsx';

const conditionFields = {
  slow: { label: 'slower ×', title: 'Every step takes this many times as long' },
  latency: { label: 'latency, ms', title: 'Each way' },
  mbps: { label: 'Mbit/s', title: 'Each way' },
  loss: { label: 'loss, %', title: 'Of what is sent; it is sent again, so a loss is a delay' },
  cut: { label: 'cut every, s', title: 'The connection breaks this often on average' },
  poison: { label: 'lies, ×', title: 'It sends its gradient times this: -10 is a saboteur' },
  apply: {
    label: 'server, ms',
    title: 'Of the server, not of a worker: every push keeps it busy for this much longer',
  },
} as const satisfies Record<Exclude<keyof RuleDraft, 'who'>, { label: string; title: string }>;

/** Fills in one rule and adds it to the text. */
function RuleEditor({ add }: { add(rule: string): void }) {
  const rule = useSignal(emptyRule);
  const problem = useSignal<string | null>(null);
  const put = () => {
    try {
      add(ruleText(rule.value));
      rule.value = emptyRule;
      problem.value = null;
    } catch (error) {
      problem.value = `${(error as Error).message}.`;
    }
  };
  const field = (key: keyof RuleDraft, label: string, title: string) => (
    <label title={title}>
      {label}
      <input
        type="text"
        autocomplete="off"
        inputMode={key === 'who' ? 'text' : 'decimal'}
        value={rule.value[key]}
        onInput={(event) => {
          rule.value = { ...rule.value, [key]: event.currentTarget.value };
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') put();
        }}
      />
    </label>
  );
  return (
    <fieldset class="rule-editor" aria-label="A new condition">
      {field('who', 'worker', '* is everyone, 0 the host’s own; also 3, 1-4 or 2+5')}
      {Object.entries(conditionFields).map(([key, { label, title }]) => field(key as keyof RuleDraft, label, title))}
      <button type="button" onClick={put}>
        Add
      </button>
      {problem.value !== null && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
    </fieldset>
  );
}

/** Made-up conditions, for seeing what slow machines and bad lines do without having any. */
export function EmulationForm({ form }: { form: Form }) {
  const text = form.draft.value.texts.emulate ?? '';
  const rules = rulesOf(text);
  const set = (next: readonly string[]) => setText(form, 'emulate', next.join(' '));
  const isNone = text.trim() === '';
  const summary = isNone ? 'none' : rules === null ? 'unclear' : counted(rules.length, 'rule');
  return (
    <Group title="Simulated problems" summary={summary} isUnusual={isUnusual(form.draft.value, ['emulate'])}>
      {rules !== null && rules.length > 0 && (
        <ul class="rules">
          {rules.map((rule, at) => (
            <li key={`${rule.text} ${at}`}>
              {rule.words}
              <button
                type="button"
                class="quiet"
                aria-label={`Remove: ${rule.words}`}
                onClick={() => set(rules.filter((_, other) => other !== at).map((kept) => kept.text))}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <RuleEditor add={(rule) => set([text.trim(), rule].filter(Boolean))} />
      <label class="emulate">
        As text, for links and the command line
        <input
          id="field-emulate"
          type="text"
          class="code"
          autocomplete="off"
          spellcheck={false}
          placeholder="4:slow=10 *:latency=40"
          value={text}
          {...problemProps(form, 'emulate')}
          onInput={(event) => setText(form, 'emulate', event.currentTarget.value)}
        />
      </label>
      <Problem form={form} name="emulate" />
      <p class="aside">Such a run is marked as emulated in every chart, table and file.</p>
    </Group>
  );
}

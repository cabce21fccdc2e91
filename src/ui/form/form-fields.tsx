import type { ReadonlySignal, Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Draft } from '../../experiment/draft.ts';
import { labelOf, type Setting, type Settings } from '../../experiment/setting.ts';

/* Fields of settings, made from their table. A setting that does not belong to what is chosen is not there. */

/** What a field needs of the form it is in. */
export interface Form {
  readonly settings: Settings;
  readonly draft: Signal<Draft>;
  /** What is wrong, in sentences by key. */
  readonly problems: ReadonlySignal<ReadonlyMap<string, string>>;
  /** Whether the setting belongs to what is chosen just now. */
  isAsked(key: string): boolean;
  /** What can be chosen, with what each choice is called; null where it is not one of a list. */
  choicesOf(key: string): Readonly<Record<string, string>> | null;
}

interface FieldProps {
  readonly form: Form;
  readonly name: string;
}

/** Types into a field. */
export function setText({ draft }: Form, key: string, text: string): void {
  draft.value = { ...draft.value, texts: { ...draft.value.texts, [key]: text } };
}

function setOff({ draft }: Form, key: string, isOff: boolean): void {
  const off = new Set(draft.value.off);
  if (isOff) off.add(key);
  else off.delete(key);
  draft.value = { ...draft.value, off };
}

/** What is wrong with a field, in words below it. */
export function Problem({ form, name }: FieldProps) {
  const problem = form.problems.value.get(name);
  return problem === undefined ? null : (
    <p class="problem" id={`${name}-problem`}>
      {problem}
    </p>
  );
}

/** Attributes that tie a field to what is wrong with it, or else to what it means. */
export const problemProps = ({ problems }: Form, name: string, hasHint = false) => {
  const isBad = problems.value.has(name);
  const described = isBad ? `${name}-problem` : hasHint ? `${name}-hint` : undefined;
  return { 'aria-invalid': isBad, 'aria-describedby': described };
};

/** One setting with its name, its field, what it means and what is wrong with it. */
export function SettingRow({ form, name }: FieldProps) {
  const setting = form.settings[name];
  if (setting === undefined || !form.isAsked(name)) return null;
  return (
    <div class={setting.kind === 'switch' ? 'row alone' : 'row'} title={setting.help}>
      <Field form={form} name={name} setting={setting} />
      {/* Beside the field while it has the focus: neither keys nor fingers get a tooltip. */}
      <span class="hint" id={`${name}-hint`}>
        {setting.help}
      </span>
      <Problem form={form} name={name} />
    </div>
  );
}

/** Every setting of a section, in the order of the table. */
export function SectionRows({ form, section }: { form: Form; section: string }) {
  const keys = Object.keys(form.settings).filter((key) => form.settings[key]?.section === section);
  return (
    <>
      {keys.map((key) => (
        <SettingRow key={key} form={form} name={key} />
      ))}
    </>
  );
}

function Field({ form, name, setting }: FieldProps & { readonly setting: Setting }) {
  const label = labelOf(setting);
  const named = <label for={`field-${name}`}>{label}</label>;
  const choices = form.choicesOf(name);
  if (choices !== null) {
    return (
      <>
        {named}
        <Select form={form} name={name} choices={choices} />
      </>
    );
  }
  switch (setting.kind) {
    case 'switch':
      return (
        <Tick
          form={form}
          name={name}
          label={label}
          isOn={form.draft.value.texts[name] === 'true'}
          onChange={(isOn) => setText(form, name, String(isOn))}
        />
      );
    case 'optional': {
      const isOff = form.draft.value.off.has(name);
      return (
        <>
          <Tick label={label} isOn={!isOff} onChange={(isOn) => setOff(form, name, !isOn)} />
          <TextInput form={form} name={name} setting={setting} isOff={isOff} label={label} />
        </>
      );
    }
    default:
      return (
        <>
          {named}
          <TextInput form={form} name={name} setting={setting} />
        </>
      );
  }
}

interface TextInputProps extends FieldProps {
  readonly setting: Setting;
  readonly isOff?: boolean;
  /** Where no label element names the input. */
  readonly label?: string;
}

function TextInput({ form, name, setting, isOff = false, label }: TextInputProps) {
  const isWhole = 'isWhole' in setting && setting.isWhole;
  return (
    <input
      id={`field-${name}`}
      name={name}
      type="text"
      inputMode={setting.kind === 'text' || setting.kind === 'name' ? 'text' : isWhole ? 'numeric' : 'decimal'}
      autocomplete="off"
      disabled={isOff}
      value={form.draft.value.texts[name]}
      aria-label={label}
      {...problemProps(form, name, true)}
      onInput={(event) => setText(form, name, event.currentTarget.value)}
    />
  );
}

function Select({ form, name, choices }: FieldProps & { readonly choices: Readonly<Record<string, string>> }) {
  const value = form.draft.value.texts[name] ?? '';
  return (
    <select
      id={`field-${name}`}
      name={name}
      value={value}
      {...problemProps(form, name, true)}
      onChange={(event) => setText(form, name, event.currentTarget.value)}
    >
      {!Object.hasOwn(choices, value) && <option value={value}>{value}</option>}
      {Object.entries(choices).map(([key, title]) => (
        <option key={key} value={key}>
          {title}
        </option>
      ))}
    </select>
  );
}

interface TickProps {
  /** Where the tick itself is the setting. */
  readonly form?: Form;
  readonly name?: string;
  readonly label: string;
  readonly isOn: boolean;
  onChange(isOn: boolean): void;
}

function Tick({ form, name, label, isOn, onChange }: TickProps) {
  return (
    <label class="rule">
      <input
        type="checkbox"
        name={name}
        checked={isOn}
        {...(form && name ? problemProps(form, name, true) : {})}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {label}
    </label>
  );
}

interface GroupProps {
  readonly title: string;
  /** What is in it, said while it is closed. */
  readonly summary: string;
  /** One of its settings is not as usual. */
  readonly isUnusual: boolean;
  readonly children: ComponentChildren;
}

/** Settings most people leave alone: closed unless one of them is not as usual. */
export function Group({ title, summary, isUnusual, children }: GroupProps) {
  const [isOpen, setOpen] = useState(isUnusual);
  useEffect(() => {
    if (isUnusual) setOpen(true);
  }, [isUnusual]);
  return (
    <details class="group" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <b>{title}</b> <span>{summary}</span>
      </summary>
      {children}
    </details>
  );
}

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ExperimentKey } from '../../experiment/experiment.ts';
import type { HostModel } from '../host/model.ts';
import {
  type CheckKey,
  checkText,
  isAsked,
  isUnusual,
  type NumberKey,
  numberFields,
  type SwitchKey,
} from './experiment-draft.ts';

/* Fields of the experiment. One that does not belong to what is chosen is not there. */

/** Types into a field. */
export function setText(model: HostModel, key: ExperimentKey, text: string): void {
  model.draft.value = { ...model.draft.value, texts: { ...model.draft.value.texts, [key]: text } };
}

function setOff(model: HostModel, key: SwitchKey, isOff: boolean): void {
  model.draft.value = { ...model.draft.value, off: { ...model.draft.value.off, [key]: isOff } };
}

interface FieldProps<Key extends ExperimentKey> {
  readonly model: HostModel;
  readonly name: Key;
  readonly label: string;
  readonly title?: string;
}

/** What is wrong with a field, or undefined. */
export const problemOf = (model: HostModel, key: ExperimentKey): string | undefined =>
  model.reading.value.ok ? undefined : model.reading.value.problems[key];

/** What is wrong with a field, in words below it. */
export function Problem({ model, name }: { model: HostModel; name: ExperimentKey }) {
  const problem = problemOf(model, name);
  return problem === undefined ? null : (
    <p class="problem" id={`${name}-problem`}>
      {problem}
    </p>
  );
}

/** Attributes that tie a field to what is wrong with it, or else to what it means. */
export const problemProps = (model: HostModel, name: ExperimentKey, hint?: string) => {
  const isBad = problemOf(model, name) !== undefined;
  const described = isBad ? `${name}-problem` : hint === undefined ? undefined : `${name}-hint`;
  return { 'aria-invalid': isBad, 'aria-describedby': described };
};

/** What a field means, beside it while it has the focus: neither keys nor fingers get a tooltip. */
function Hint({ name, text }: { name: ExperimentKey; text: string | undefined }) {
  return text === undefined ? null : (
    <span class="hint" id={`${name}-hint`}>
      {text}
    </span>
  );
}

function Row(props: FieldProps<ExperimentKey> & { readonly children: ComponentChildren }) {
  const { model, name, label, title, children } = props;
  if (!isAsked(model.draft.value, name)) return null;
  return (
    <div class="row" title={title}>
      <label for={`field-${name}`}>{label}</label>
      {children}
      <Hint name={name} text={title} />
      <Problem model={model} name={name} />
    </div>
  );
}

interface NumberProps {
  readonly model: HostModel;
  readonly name: NumberKey;
  readonly isOff?: boolean;
  readonly hint?: string | undefined;
  /** Where no label element names the input. */
  readonly label?: string;
}

function NumberInput({ model, name, isOff = false, hint, label }: NumberProps) {
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
      {...problemProps(model, name, hint)}
      onInput={(event) => setText(model, name, event.currentTarget.value)}
    />
  );
}

/** A number under its name. */
export function NumberRow(props: FieldProps<NumberKey>) {
  return (
    <Row {...props}>
      <NumberInput model={props.model} name={props.name} hint={props.title} />
    </Row>
  );
}

/** One of several by name. */
export function SelectRow(
  props: FieldProps<'model' | 'data' | 'optimizer' | 'outer'> & { readonly options: Readonly<Record<string, string>> },
) {
  const { model, name, options } = props;
  const value = model.draft.value.texts[name];
  return (
    <Row {...props}>
      <select
        id={`field-${name}`}
        name={name}
        value={value}
        {...problemProps(model, name, props.title)}
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

/** A number that can be switched off; `as` is what the input is called where its label alone does not say it. */
export function SwitchRow({ model, name, label, title, as }: FieldProps<SwitchKey> & { readonly as?: string }) {
  if (!isAsked(model.draft.value, name)) return null;
  const isOff = model.draft.value.off[name];
  return (
    <div class="row" title={title}>
      <label class="rule">
        <input
          type="checkbox"
          checked={!isOff}
          onChange={(event) => setOff(model, name, !event.currentTarget.checked)}
        />
        {label}
      </label>
      <NumberInput model={model} name={name} isOff={isOff} hint={title} label={as ?? label} />
      <Hint name={name} text={title} />
      <Problem model={model} name={name} />
    </div>
  );
}

/** Something that is so or not. */
export function CheckRow({ model, name, label, title }: FieldProps<CheckKey>) {
  if (!isAsked(model.draft.value, name)) return null;
  return (
    <div class="row alone" title={title}>
      <label class="rule">
        <input
          type="checkbox"
          name={name}
          checked={model.draft.value.texts[name] === checkText(name, true)}
          {...problemProps(model, name, title)}
          onChange={(event) => setText(model, name, checkText(name, event.currentTarget.checked))}
        />
        {label}
      </label>
      <Hint name={name} text={title} />
      <Problem model={model} name={name} />
    </div>
  );
}

interface GroupProps {
  readonly model: HostModel;
  readonly title: string;
  /** What is in it, said while it is closed. */
  readonly gist: string;
  readonly keys: readonly ExperimentKey[];
  readonly children: ComponentChildren;
}

/** Settings most people leave alone: closed unless one of them is not as usual. */
export function Group({ model, title, gist, keys, children }: GroupProps) {
  const unusual = isUnusual(model.draft.value, keys);
  const [isOpen, setOpen] = useState(unusual);
  useEffect(() => {
    if (unusual) setOpen(true);
  }, [unusual]);
  return (
    <details class="group" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <b>{title}</b> <span>{gist}</span>
      </summary>
      {children}
    </details>
  );
}
